package interp

import (
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/expand"
)

// expanding has mvdan.cc/sh expand something. A panic of it about what a script has written is the
// script's error, as any other that it returns: the shell says so in a line and goes on with what
// follows such an error. What it calls of ours has a guard of its own (commandSubstitution).
func expanding[T any](expansion func() (T, error)) (result T, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("this cannot be expanded (mvdan.cc/sh: %v)", r)
		}
	}()
	return expansion()
}

// format is printf's; used is how many arguments it has taken.
func (s *Shell) format(format string, args []string) (text string, used int, err error) {
	text, err = expanding(func() (text string, err error) {
		text, used, err = expand.Format(s.config, terminated(format), args)
		return text, err
	})
	return text, used, err
}

// escapes are those of expand.Format that have digits, and how many.
var escapes = map[byte]int{'x': 2, 'u': 4, 'U': 8}

// terminated gives the escape at the end of text all its digits (\0 is \000), and another backslash
// to one that is no escape. At v3.12 expand.Format looks for them beyond the end; ADR 5 says why not a
// later one.
func terminated(text string) string {
	at := strings.LastIndexByte(text, '\\')
	if at < 0 || (at-len(strings.TrimRight(text[:at], `\`)))%2 == 1 {
		return text // nothing, or an escaped backslash
	}
	tail := text[at+1:]
	if tail == "" {
		return text + `\`
	}
	kind, digits, base, most := "", tail, byte(8), 3
	if n := escapes[tail[0]]; n > 0 {
		kind, digits, base, most = tail[:1], tail[1:], 16, n
	}
	for i := range len(digits) {
		if digit(digits[i]) >= base {
			return text // ends with something else
		}
	}
	switch {
	case len(digits) >= most:
		return text
	case digits == "":
		return text[:at] + `\` + text[at:]
	}
	return text[:at+1] + kind + strings.Repeat("0", most-len(digits)) + digits
}
