package lesson

import (
	"fmt"
	"regexp"
	"strings"
)

// Traced is a line of a trace: a kind of step, and, if it is said, the resource, subresource, queue or event
// that the step is about.
type Traced struct{ Kind, Like string }

func (t Traced) String() string { return strings.TrimSpace(t.Kind + " " + t.Like) }

// Traced are the steps that a trace wants.
func (p Part) Traced() []Traced {
	var all []Traced
	for line := range strings.Lines(p.Text) {
		if words := strings.Fields(line); len(words) > 0 {
			all = append(all, Traced{Kind: words[0], Like: strings.Join(words[1:], " ")})
		}
	}
	return all
}

var tracedLine = regexp.MustCompile(`^[a-z]+\.[A-Za-z]+(?:[ \t]+[A-Za-z][A-Za-z0-9._/-]*)?$`)

// traced says what is wrong with the lines of a trace.
func traced(text string) error {
	if text == "" {
		return nil // it only shows
	}
	if n := strings.Count(text, "\n") + 1; n > MaxTraced {
		return fmt.Errorf("a trace of %d lines is too long: %d are the most", n, MaxTraced)
	}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !tracedLine.MatchString(line) {
			return fmt.Errorf("%q is no step of a trace: write KIND or KIND NAME, such as \"etcd.put pods\"", cut(line))
		}
	}
	return nil
}
