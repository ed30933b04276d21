package openssl

import (
	"fmt"
	"strconv"
	"strings"
)

// options are what was given to a command: openssl's options have one dash, or two, and the value is the next argument.
type options struct {
	values map[string][]string
	order  []string // of the names, each where it is given first
	args   []string
}

// parse reads args[1:]. Of known, a name that ends in "=" takes a value, a name in "!" is refused with why; what is not
// among them may be an option of every command: a digest (-sha256).
func parse(args []string, known ...string) (*options, error) {
	o := &options{values: map[string][]string{}}
	takes := map[string]bool{}
	for _, name := range known {
		bare, value := strings.CutSuffix(name, "=")
		takes[bare] = value
	}
	for i := 1; i < len(args); i++ {
		a := args[i]
		if len(a) < 2 || a[0] != '-' {
			o.args = append(o.args, args[i:]...)
			break
		}
		name := strings.TrimPrefix(a[1:], "-")
		value, ok := takes[name]
		if !o.has(name) {
			o.order = append(o.order, name)
		}
		switch {
		case ciphers[name]:
			return nil, fmt.Errorf("-%s: keys are not encrypted here, there is nowhere to type a passphrase: leave it out", name)
		case !ok && digests[name] != nil:
			o.values["digest"] = []string{name}
		case !ok:
			return nil, fmt.Errorf("there is no option %.60q here", a)
		case !value:
			o.values[name] = append(o.values[name], "")
		case i+1 == len(args):
			return nil, fmt.Errorf("option -%s needs a value", name)
		default:
			i++
			o.values[name] = append(o.values[name], args[i])
		}
	}
	return o, nil
}

// ciphers would encrypt a key.
var ciphers = map[string]bool{"aes128": true, "aes192": true, "aes256": true, "aes-256-cbc": true, "des": true, "des3": true}

// plain commands take no arguments beside options.
func (o *options) none() error {
	if len(o.args) > 0 {
		return fmt.Errorf("what is %.60q? Options begin with a dash", o.args[0])
	}
	return nil
}

func (o *options) has(names ...string) bool {
	for _, name := range names {
		if _, ok := o.values[name]; ok {
			return true
		}
	}
	return false
}

// get is the last value of an option.
func (o *options) get(name string) string {
	if v := o.values[name]; len(v) > 0 {
		return v[len(v)-1]
	}
	return ""
}

// number is an option's value as a number from least to most.
func (o *options) number(name string, otherwise, least, most int) (int, error) {
	if !o.has(name) {
		return otherwise, nil
	}
	return number("-"+name, o.get(name), least, most)
}

func number(what, text string, least, most int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("%s %.60q is not a number from %d to %d", what, text, least, most)
	}
	return n, nil
}
