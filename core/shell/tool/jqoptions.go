package tool

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/shell/jq"
)

var errJQHelp = errors.New("help")

const jqHelp = `Usage: jq [OPTIONS] FILTER [FILE]...
       jq [OPTIONS] --args FILTER [STRING]...
       jq [OPTIONS] --jsonargs FILTER [JSON]...
jq by github.com/itchyny/gojq: keys come out sorted, whole numbers have as many digits as they need.

  -n, --null-input        the filter's input is null; input and inputs read
  -R, --raw-input         lines are strings
  -s, --slurp             all inputs in one array
      --stream            paths and leaves of the inputs, as they are read
  -r, --raw-output        strings without quotes;  -j, --join-output  and without ends of lines
  -c, --compact-output    one line for each value
  -C, --color-output      colours;  -M, --monochrome-output  none
  -S, --sort-keys         keys are sorted (they always are)
  -e, --exit-status       1 if the last value is false or null, 4 if there is none
  --tab, --indent N       how to indent
  -f, --from-file FILE    the filter is in a file
  --arg NAME STRING, --argjson NAME JSON, --slurpfile NAME FILE, --rawfile NAME FILE
                          $NAME, and $ARGS.named
`

// jqOptions is a command line of jq.
type jqOptions struct {
	stream, null, raw, slurp, rawOut, join, compact, color, exit bool

	indent  string
	program string
	files   []string
	names   []string
	values  []any
}

var jqLetters = map[byte]string{
	'n': "null-input", 'R': "raw-input", 's': "slurp", 'r': "raw-output", 'j': "join-output", 'c': "compact-output",
	'C': "color-output", 'M': "monochrome-output", 'S': "sort-keys", 'e': "exit-status", 'f': "from-file", 'h': "help",
}

// jqOptions reads a command line: options stand anywhere, and some take two words.
func (t *T) jqOptions(args []string) (*jqOptions, error) {
	o := &jqOptions{indent: "  ", color: t.Terminal != nil || t.Console != nil}
	var words []string
	named, positional, kind, fromFile := map[string]any{}, []any{}, "", false
	option := func(name string) error {
		take := func(n int) ([]string, error) {
			if len(args) < n {
				return nil, fmt.Errorf("--%s takes %d words", name, n)
			}
			taken := args[:n]
			args = args[n:]
			return taken, nil
		}
		switch name {
		case "null-input":
			o.null = true
		case "stream":
			o.stream = true
		case "raw-input":
			o.raw = true
		case "slurp":
			o.slurp = true
		case "raw-output":
			o.rawOut = true
		case "join-output":
			o.rawOut, o.join = true, true
		case "compact-output":
			o.compact = true
		case "color-output":
			o.color = true
		case "monochrome-output":
			o.color = false
		case "sort-keys":
		case "exit-status":
			o.exit = true
		case "from-file":
			fromFile = true
		case "tab":
			o.indent = "\t"
		case "indent":
			taken, err := take(1)
			if err != nil {
				return err
			}
			n, err := strconv.Atoi(taken[0])
			if err != nil || n < 0 || n > 7 {
				return errors.New("--indent takes a number from 0 to 7")
			}
			o.indent, o.compact = strings.Repeat(" ", n), n == 0
		case "args", "jsonargs":
			kind = name
		case "arg", "argjson", "slurpfile", "rawfile":
			taken, err := take(2)
			if err != nil {
				return err
			}
			v, err := t.jqArgument(name, taken[1])
			if err != nil {
				return fmt.Errorf("--%s %s: %w", name, taken[0], err)
			}
			named[taken[0]] = v
			o.names, o.values = append(o.names, "$"+taken[0]), append(o.values, v)
		case "help":
			return errJQHelp
		default:
			return fmt.Errorf("unknown option --%s", name)
		}
		return nil
	}
	only := false // after --
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		switch {
		case only || len(arg) < 2 || arg[0] != '-':
			if kind == "" || len(words) == 0 {
				words = append(words, arg)
				continue
			}
			v := any(arg)
			if kind == "jsonargs" {
				var err error
				if v, err = decodeJSON(arg); err != nil {
					return nil, fmt.Errorf("--jsonargs: %w", err)
				}
			}
			positional = append(positional, v)
		case arg == "--":
			only = true
		case strings.HasPrefix(arg, "--"):
			if err := option(arg[2:]); err != nil {
				return nil, err
			}
		default:
			for _, letter := range []byte(arg[1:]) {
				name, ok := jqLetters[letter]
				if !ok {
					return nil, fmt.Errorf("unknown option -%s", string(rune(letter)))
				}
				if err := option(name); err != nil {
					return nil, err
				}
			}
		}
	}
	o.names, o.values = append(o.names, "$ARGS"), append(o.values, map[string]any{"named": named, "positional": positional})
	if len(words) == 0 {
		if fromFile || t.Terminal != nil {
			return nil, errors.New("which filter? jq '.items[].metadata.name'")
		}
		words = []string{"."}
	}
	o.program, o.files = words[0], words[1:]
	if fromFile {
		text, err := t.readFile(words[0])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", words[0], err)
		}
		o.program = string(text)
	}
	return o, nil
}

// jqArgument is the value of a variable.
func (t *T) jqArgument(kind, text string) (any, error) {
	switch kind {
	case "arg":
		return text, nil
	case "argjson":
		return decodeJSON(text)
	case "rawfile":
		data, err := t.readFile(text)
		return string(data), err
	}
	in := t.jqInput(&jqOptions{slurp: true, files: []string{text}})
	defer in.close()
	v, size, err := in.next()
	if in.failed != 0 {
		err = errors.New("cannot be read")
	}
	if err == nil && size > jq.MaxHeld/4 {
		err = jq.ErrMemory
	}
	return v, err
}
