package lesson

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"
)

// Name is the file of a folder that is its lesson.
const Name = "lesson.md"

// Lesson is what a lesson does: its prose is left to the page.
type Lesson struct {
	Title       string   `json:"title"`
	Description string   `json:"description,omitempty"`
	Minutes     int      `json:"minutes,omitempty"`
	Nodes       int      `json:"nodes,omitempty"`     // in-tab nodes of its cluster; 0 means DefaultNodes
	Manifests   []string `json:"manifests,omitempty"` // files of the folder, applied first
	// Prepare is what stands before the first step: a state that is made, and no more.
	Prepare []Part   `json:"prepare,omitempty"`
	Steps   []Step   `json:"steps"`
	Images  []string `json:"images,omitempty"` // files of the folder
	Links   []string `json:"links,omitempty"`
	// File of the folder that its parts' lines are of.
	File string `json:"-"`
}

// Step is one heading of the second level and what follows it.
type Step struct {
	Title string `json:"title"`
	Line  int    `json:"-"`
	Parts []Part `json:"parts,omitempty"`
}

// Kind says what a part is.
type Kind string

// The kinds of parts, as lessons name them.
const (
	Run      Kind = "run"      // shell, which the reader runs
	Apply    Kind = "apply"    // a manifest, which the reader applies
	Check    Kind = "check"    // shell that ends with 0, or a condition that comes
	CEL      Kind = "cel"      // an expression over an object that becomes true
	Trace    Kind = "trace"    // steps that the last command has set off; without any it only shows them
	Question Kind = "question" // answers, of which some are right
	Hint     Kind = "hint"     // shown when it is asked for
	Solution Kind = "solution" // shell that does the task; shown when it is asked for
)

// Part is a block that does something.
type Part struct {
	Kind Kind   `json:"kind"`
	Line int    `json:"-"` // in lesson.md, from 1
	Text string `json:"text,omitempty"`
	// Title is what a check is called.
	Title string `json:"title,omitempty"`
	// Until has to come afterwards (run, apply, solution), or is the check.
	Until *Until `json:"until,omitempty"`
	// Object is what a CEL expression is about.
	Object *Object `json:"object,omitempty"`
	// Exit is the code that shell ends with; AnyExit takes each.
	Exit int `json:"exit,omitempty"`
	// Seconds that it may take; 0 means DefaultTimeout.
	Seconds int `json:"timeout,omitempty"`
	// Output is what it prints, if the lesson says so (Expect).
	Output string `json:"output,omitempty"`
	// Eventually runs it again until it ends and prints as it should.
	Eventually bool `json:"eventually,omitempty"`
	// Prepare runs when its step begins, Reset when the reader wants it anew; Hidden shows neither.
	Prepare bool `json:"prepare,omitempty"`
	Reset   bool `json:"reset,omitempty"`
	Hidden  bool `json:"hidden,omitempty"`
	// Answers of a question.
	Answers []Answer `json:"answers,omitempty"`
}

// Answer is one of a question's.
type Answer struct {
	Text  string `json:"text"`
	Right bool   `json:"right,omitempty"`
}

// What a lesson may hold, and what it has if it does not say.
const (
	MaxFile    = 256 << 10 // bytes of lesson.md
	MaxImage   = 1 << 20   // bytes of an image
	MaxText    = 32 << 10  // bytes of a part
	MaxSteps   = 50
	MaxParts   = 500
	MaxTitle   = 200 // bytes of a title; four times as many of a description
	MaxAnswers = 10
	MaxTraced  = 20 // lines of a trace
	MaxNodes   = 8
	MaxSeconds = 600
	maxNesting = 16   // lists and quotes within one another
	maxLinks   = 1000 // a parser's work grows with their square

	DefaultNodes   = 3
	DefaultTimeout = 120 * time.Second
	AnyExit        = -1
)

// Timeout is what it may take.
func (p Part) Timeout() time.Duration {
	return cmp.Or(time.Duration(p.Seconds)*time.Second, DefaultTimeout)
}

// Checks says whether it passes or does not, and is tried until it does.
func (p Part) Checks() bool {
	return p.Kind == Check || p.Kind == CEL || p.Kind == Trace && p.Text != ""
}

// Always is true: every part is meant.
func (p Part) Always() bool { return true }

// Called is what a check is called where something is said of it.
func (p Part) Called() string {
	switch {
	case p.Title != "":
		return p.Title
	case p.Until != nil && p.Text == "":
		return p.Until.String()
	}
	return p.Text
}

// Problem is something that a lesson must not hold.
type Problem struct {
	File string
	Line int // from 1; 0 if it is about the whole file
	What string
}

func (p Problem) Error() string {
	if p.Line == 0 {
		return fmt.Sprintf("%s: %s", p.File, p.What)
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.What)
}

// Problems are all of a file's, by line.
type Problems []Problem

func (p *Problems) add(line int, format string, args ...any) {
	*p = append(*p, Problem{File: Name, Line: line, What: fmt.Sprintf(format, args...)})
}

// in gives them as one error, with the names of files as they are found from where one is; nil for none.
func (p Problems) in(dir string) error {
	var all []error
	for _, problem := range p.sorted() {
		problem.File = filepath.Join(dir, problem.File)
		all = append(all, problem)
	}
	return errors.Join(all...)
}

func (p Problems) sorted() Problems {
	slices.SortStableFunc(p, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
	return p
}

// cut shortens what a stranger wrote, for a message.
func cut(s string) string {
	const most = 80
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}
