package command

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/tabernetes/tabernetes/core/trace"
)

var declined = trace.Declare(trace.Kubectl, "kubectl.refused", trace.Place{
	Package: "k8s.io/kubectl/pkg/cmd/util", Func: "checkErr", Text: "msg, ok := StandardErrorMessage(err)",
})

// Declined are the details of kubectl.refused: the command ended before it had asked anybody.
type Declined struct {
	// Message is kubectl's, without what it quotes of a value that could be a secret, or of a file.
	Message string `json:"message"`
}

// refused tells that kubectl itself refuses the command, if it has sent no request: what comes later is the
// server's word, or the way's.
func (t *tracer) refused(message string) {
	if t == nil || message == "" {
		return
	}
	t.mu.Lock()
	sent, c, shown, typed := t.sent, t.command, t.line, t.typed
	args := slices.Clone(t.args)
	t.mu.Unlock()
	if sent || c == nil {
		return
	}
	for i, a := range args {
		args[i] = typed(a)
	}
	t.bus.Add(trace.Step{Kind: declined, Component: component, Cause: t.id, Details: &Declined{declinedMessage(c, shown, args, typed(message))}})
}

var (
	// quotedPart is what a message has of somebody else's, as upstream and Go write it; not the apostrophe of
	// "doesn't".
	quotedPart = regexp.MustCompile("\"[^\"]*\"|\\B'[^']*'|`[^`]*`|\\[[^\\]]*\\]|\\{[^}]*\\}")
	// proseWord is a word of a sentence: letters, with what stands at words; or a small number.
	proseWord = regexp.MustCompile(`^([A-Za-z][A-Za-z()'/-]*|\d{1,3})$`)
)

// declinedMessage is the first line of a message, of which is kept what the command's line shows as well, names
// of its flags, and words that were not among its arguments.
func declinedMessage(c *cobra.Command, shown string, args []string, message string) string {
	message, _, _ = strings.Cut(strings.TrimPrefix(message, "error: "), "\n")
	var hidden []string
	for _, a := range args {
		if slices.Contains(strings.Fields(shown), a) {
			continue // it is no secret, and a word may be in it
		}
		if name, value, joined := strings.Cut(a, "="); joined && strings.HasPrefix(name, "--") {
			a = value
		}
		hidden = append(hidden, a)
	}
	var kept []string
	keep := func(word string) {
		if word != trace.Withheld || len(kept) == 0 || kept[len(kept)-1] != word {
			kept = append(kept, word)
		}
	}
	words := func(text string) {
		for _, w := range strings.Fields(text) {
			bare := strings.TrimRight(w, ",.;:")
			switch {
			case bare == "": // what stood behind a quoted part
				if len(kept) > 0 {
					kept[len(kept)-1] += w
				}
			case shownWord(shown, bare), isFlag(c, bare), proseWord.MatchString(bare) && !ofArguments(hidden, bare):
				keep(w)
			default:
				keep(trace.Withheld)
			}
		}
	}
	rest := message
	for rest != "" {
		at := quotedPart.FindStringIndex(rest)
		if at == nil {
			words(rest)
			break
		}
		words(rest[:at[0]])
		part := rest[at[0]:at[1]]
		if inner := part[1 : len(part)-1]; strings.Contains(shown, inner) || allFlags(c, inner) {
			keep(part)
		} else {
			keep(trace.Withheld)
		}
		rest = rest[at[1]:]
	}
	return trace.Text(strings.Join(kept, " "))
}

// shownWord is whether the line shows a word as one.
func shownWord(shown, word string) bool {
	for w := range strings.FieldsFuncSeq(shown, func(r rune) bool { return unicode.IsSpace(r) || r == '=' }) {
		if w == word {
			return true
		}
	}
	return false
}

// ofArguments is whether a word is, or could be, part of what was typed: it is in an argument, a short one by
// itself.
func ofArguments(args []string, word string) bool {
	word = strings.ToLower(word)
	for _, a := range args {
		a = strings.ToLower(a)
		if len(word) >= 3 && strings.Contains(a, word) {
			return true
		}
		for piece := range strings.FieldsFuncSeq(a, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			if piece == word {
				return true
			}
		}
	}
	return false
}

// allFlags is whether a text lists flags of the command: "image", "-r, --replicas".
func allFlags(c *cobra.Command, text string) bool {
	for name := range strings.SplitSeq(text, ", ") {
		if !isFlag(c, name) && !isFlag(c, "--"+name) {
			return false
		}
	}
	return true
}

// isFlag is whether a word is a flag of the command's: "--image" or "-r".
func isFlag(c *cobra.Command, word string) bool {
	if name, long := strings.CutPrefix(word, "--"); long {
		return lookup(c.Flags().Lookup(name), c.InheritedFlags().Lookup(name)) != nil
	}
	letter, short := strings.CutPrefix(word, "-")
	return short && len(letter) == 1 && lookup(c.Flags().ShorthandLookup(letter), c.InheritedFlags().ShorthandLookup(letter)) != nil
}
