package shell

import (
	"strconv"
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/syntax"
)

// Typed is the beginning of a line as the shell would read it, up to the cursor.
type Typed struct {
	// Before are the words of the command at the cursor that are whole, without their quotes.
	Before []string
	// Word is the one at the cursor, without its quotes; the last of them may still be open.
	Word string
	// From is where Word begins in the line, in bytes.
	From int
	// Target tells that Word is the file of a redirection.
	Target bool
	// Expands tells that Word is not what the shell will see: it has an expansion in it.
	Expands bool
}

// Read takes the beginning of a line apart. It knows words and quotes, not the whole grammar: a
// line that is being typed is not in the grammar yet.
func Read(head string) Typed {
	r := reader{head: head}
	for r.at < len(head) {
		r.step()
	}
	r.typed.Word = r.text.String()
	if !r.inWord {
		r.typed.From = len(head)
	}
	return r.typed
}

type reader struct {
	head   string
	at     int
	typed  Typed
	text   strings.Builder
	inWord bool
}

// end ends a word, if there is one, before what stands at r.at.
func (r *reader) end() {
	if r.inWord && !r.typed.Target {
		r.typed.Before = append(r.typed.Before, r.text.String())
	}
	if r.inWord {
		r.typed.Target = false
	}
	r.text.Reset()
	r.inWord, r.typed.Expands = false, false
}

func (r *reader) step() {
	c := r.head[r.at]
	switch c {
	case ' ', '\t':
		r.end()
		r.at++
		return
	case ';', '|', '&', '(', ')', '`', '\n':
		r.end()
		r.typed.Before, r.typed.Target = nil, false
		r.at++
		return
	case '<', '>':
		r.end()
		r.typed.Target = true
		r.at++
		return
	}
	if !r.inWord {
		r.inWord, r.typed.From = true, r.at
	}
	rest := r.head[r.at:]
	switch {
	case c == '\\':
		if len(rest) > 1 {
			r.text.WriteByte(rest[1])
		}
		r.at += min(2, len(rest))
	case c == '\'':
		inside, _, closed := strings.Cut(rest[1:], "'")
		r.text.WriteString(inside)
		r.at += 1 + len(inside)
		if closed {
			r.at++
		}
	case c == '"':
		r.at++
		r.double()
	case strings.HasPrefix(rest, "$'"):
		r.at += 2
		r.escaped()
	default:
		r.typed.Expands = r.typed.Expands || c == '$'
		r.text.WriteByte(c)
		r.at++
	}
}

// double reads on to the end of "…".
func (r *reader) double() {
	for ; r.at < len(r.head); r.at++ {
		c := r.head[r.at]
		switch {
		case c == '"':
			r.at++
			return
		case c == '\\' && r.at+1 < len(r.head) && strings.IndexByte("$`\"\\", r.head[r.at+1]) >= 0:
			r.at++
			c = r.head[r.at]
		case c == '$' || c == '`':
			r.typed.Expands = true
		}
		r.text.WriteByte(c)
	}
}

// escaped reads on to the end of $'…'. An escape that is not whole is left out.
func (r *reader) escaped() {
	for r.at < len(r.head) {
		rest := r.head[r.at:]
		if rest[0] == '\'' {
			r.at++
			return
		}
		char, _, tail, err := strconv.UnquoteChar(rest, '\'')
		if err != nil {
			r.at = len(r.head)
			return
		}
		if length := len(rest) - len(tail); length == len(`\x00`) && rest[0] == '\\' {
			r.text.WriteByte(byte(char)) // \xHH and \NNN are bytes
		} else {
			r.text.WriteRune(char)
		}
		r.at = len(r.head) - len(tail)
	}
}

// Quote gives a word as it must be typed, so that the shell takes it as it is; a ~/ in front and
// a / at the end stay outside of the quotes, as the word may go on. ok is false for what no shell
// can be given.
func Quote(word string) (quoted string, ok bool) {
	if plain(word) {
		return word, true
	}
	if rest, found := strings.CutPrefix(word, "~/"); found && rest != "" {
		quoted, ok = Quote(rest)
		return "~/" + quoted, ok
	}
	if folder, found := strings.CutSuffix(word, "/"); found && folder != "" {
		quoted, ok = Quote(folder)
		return quoted + "/", ok
	}
	quoted, err := syntax.Quote(word, syntax.LangBash)
	return quoted, err == nil
}

// plain tells whether the shell reads a word as itself, wherever it stands.
func plain(word string) bool {
	for _, c := range word {
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("_@%+=:,./-", c) {
			return false
		}
	}
	return word != ""
}
