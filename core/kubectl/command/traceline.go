package command

import (
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tabernetes/tabernetes/core/trace"
)

// shown are flags whose values say what is asked for, and never who asks.
var shown = []string{
	"all", "all-namespaces", "as", "as-group", "cascade", "class", "clusterip", "clusterrole", "container", "context",
	"copy-to", "cpu", "cpu-percent", "current-replicas", "default-backend", "dry-run", "duration", "expose",
	"external-name", "field-manager", "field-selector", "filename", "follow", "for", "force", "from", "generator",
	"grace-period", "group", "hard", "image", "kustomize", "label-columns", "labels", "limits", "list", "local", "max",
	"max-unavailable", "memory", "min", "min-available", "name", "namespace", "node-port", "non-resource-url", "output",
	"overwrite", "patch-file", "port", "previous", "profile", "protocol", "recursive", "replicas", "requests",
	"resource", "resource-name", "restart", "revision", "rm", "role", "rule", "schedule", "scopes", "selector",
	"server-side", "serviceaccount", "show-labels", "since", "sort-by", "stdin", "subresource", "tail", "target",
	"target-port", "tcp", "timeout", "to-revision", "tty", "type", "user", "v", "validate", "verb", "wait", "watch",
}

// assigning are commands whose KEY=VALUE says what is asked for: an image, a label, a taint.
var assigning = []string{"set image", "label", "taint"}

// naming are how many arguments of a command are names of what it is about, where what comes behind them can
// be a secret itself.
var naming = map[string]int{
	"config": 0, "config use-context": 1, "config delete-context": 1, "config delete-cluster": 1,
	"exec": 1, "attach": 1, "debug": 1, "run": 1, "proxy": 0, "patch": 2,
}

// nameShaped is an argument that says which object: KIND, NAME or KIND/NAME, as the API's names are.
var nameShaped = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]*(/[a-z0-9][a-z0-9.:-]*)?$`)

// line is the command with its arguments, as far as they are known to be no secrets.
func line(c *cobra.Command, args []string) string {
	words := []string{c.CommandPath()}
	names, bounded := namesOf(c)
	shows := slices.ContainsFunc(assigning, func(w string) bool { return strings.HasSuffix(c.CommandPath(), " "+w) })
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--":
			words, args = append(words, "--", trace.Withheld), nil
		case strings.HasPrefix(a, "-") && a != "-":
			word, takes := flag(c, a)
			if takes && i+1 < len(args) {
				i++
				word, _ = flag(c, a+"="+args[i])
				// As it was typed: the value is a word of its own.
				word = word[:len(a)] + " " + word[len(a)+1:]
			}
			words = append(words, word)
		case bounded:
			switch names--; {
			case names < 0 || !nameShaped.MatchString(a):
				a, names = trace.Withheld, 0
			case strings.Contains(a, "/"): // KIND/NAME says all
				names = 0
			}
			words = append(words, a)
		default:
			// KEY=VALUE of `set env`, `annotate` and the like.
			if name, _, assigned := strings.Cut(a, "="); assigned && !shows {
				a = name + "=" + trace.Withheld
			}
			words = append(words, a)
		}
	}
	for i, w := range words {
		words[i] = addresses(w)
	}
	return trace.Text(strings.Join(words, " "))
}

// addresses is a word of a line without what may be a secret in URLs of it, as -f and -k take them: one, or a
// list with commas. What follows a URL's query may be part of it.
func addresses(word string) string {
	if !strings.Contains(word, "://") {
		return word
	}
	var kept []string
	inQuery := false
	for part := range strings.SplitSeq(word, ",") {
		url := strings.Contains(part, "://")
		if inQuery && !url {
			continue
		}
		if url {
			inQuery = strings.ContainsAny(part, "?#")
			part = trace.Address(part)
		} else if i := strings.LastIndexByte(part, '@'); i >= 0 { // a password with a comma in it
			part = trace.Withheld + part[i:]
		}
		kept = append(kept, part)
	}
	return strings.Join(kept, ",")
}

// namesOf says how many of a command's arguments are names; bounded is false if all of them are shown.
func namesOf(c *cobra.Command) (names int, bounded bool) {
	_, path, _ := strings.Cut(c.CommandPath(), " ")
	if names, bounded = naming[path]; bounded {
		return names, true
	}
	first, _, _ := strings.Cut(path, " ")
	names, bounded = naming[first]
	return names, bounded
}

// flag is a flag of a line with its value, as far as that is known to be no secret; takes says that the value is
// the argument behind it.
func flag(c *cobra.Command, a string) (word string, takes bool) {
	name, value, joined := strings.Cut(a, "=")
	if strings.HasPrefix(a, "--") {
		f := lookup(c.Flags().Lookup(name[2:]), c.InheritedFlags().Lookup(name[2:]))
		if f == nil {
			return name + "=" + trace.Withheld, false
		}
		return flagWord(f, name, value, joined)
	}
	// -it are two, -ndefault is one with its value.
	for i := 1; i < len(name); i++ {
		letter := name[i : i+1]
		f := lookup(c.Flags().ShorthandLookup(letter), c.InheritedFlags().ShorthandLookup(letter))
		switch {
		case f == nil:
			return name[:i+1] + trace.Withheld, false
		case i == len(name)-1:
			return flagWord(f, name, value, joined)
		case f.NoOptDefVal == "": // -n=demo is in upstream's parser what -ndemo is
			word, _ := flagWord(f, name[:i+1], strings.TrimPrefix(a[i+1:], "="), true)
			return name[:i+1] + word[i+2:], false
		}
	}
	return a[:1], false
}

func lookup(own, inherited *pflag.Flag) *pflag.Flag {
	if own != nil {
		return own
	}
	return inherited
}

func flagWord(f *pflag.Flag, name, value string, joined bool) (word string, takes bool) {
	switch {
	case !joined:
		return name, f.NoOptDefVal == ""
	case f.Name == "patch":
		return name + "=" + patchShape(value), false
	case !slices.Contains(shown, f.Name):
		return name + "=" + trace.Withheld, false
	}
	return name + "=" + value, false
}
