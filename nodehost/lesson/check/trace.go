package check

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tabernetes/tabernetes/core/trace"
	"github.com/tabernetes/tabernetes/nodehost/lesson"
)

// unknown is the first step that a lesson's traces want and no cluster has, and the line of its block.
func unknown(l *lesson.Lesson) (line int, kind string) {
	kinds := map[string]bool{}
	for _, k := range trace.Kinds() {
		kinds[k.Name] = true
	}
	for _, step := range l.Steps {
		for _, p := range step.Parts {
			if p.Kind != lesson.Trace {
				continue
			}
			for _, want := range p.Traced() {
				if !kinds[want.Kind] {
					return p.Line, want.Kind
				}
			}
		}
	}
	return 0, ""
}

// traced looks for what a trace wants in what the last command has set off.
func traced(bus *trace.Bus, p lesson.Part) (printed string, err error) {
	steps, _ := bus.All()
	command := telling(steps)
	if command == 0 {
		return "", fmt.Errorf("no command has been run")
	}
	tree := trace.Grow(steps, command)
	var lacks []string
	for _, want := range p.Traced() {
		found := false
		tree.Walk(func(t *trace.Tree, _ int) { found = found || like(&t.Step, want) })
		if !found {
			lacks = append(lacks, want.String())
		}
	}
	if len(lacks) > 0 {
		return tree.String(), fmt.Errorf("the last command has set off no %s", strings.Join(lacks, ", no "))
	}
	return "", nil
}

// like says whether a step is one that a trace wants, as the page's firstLike does (web/trace/told.ts).
func like(s *trace.Step, want lesson.Traced) bool {
	if s.Kind.Name != want.Kind {
		return false
	}
	switch want.Like {
	case "", s.Object.Resource, s.Object.Subresource:
		return true
	}
	d := detailsOf(s)
	return want.Like == d["queue"] || want.Like == d["event"]
}

// telling is the command that people mean by the last one, as the page's lastTelling finds it: the last that
// wrote something or was turned back, or, if none did, the last one; 0 without any.
func telling(steps []trace.Step) trace.ID {
	byID := make(map[trace.ID]*trace.Step, len(steps))
	var last, wrote *trace.Step
	later := func(a, b *trace.Step) *trace.Step {
		if a == nil || b.At.After(a.At) {
			return b
		}
		return a
	}
	for i := range steps {
		s := &steps[i]
		byID[s.ID] = s
		if s.Kind.Name == command {
			last = later(last, s)
		}
	}
	for i := range steps {
		if !tells(&steps[i]) {
			continue
		}
		if root := top(byID, &steps[i]); root.Kind.Name == command {
			wrote = later(wrote, root)
		}
	}
	switch {
	case wrote != nil:
		return wrote.ID
	case last != nil:
		return last.ID
	}
	return 0
}

const command = "kubectl.command"

// top is the step above all others that caused one, as far as they are held.
func top(byID map[trace.ID]*trace.Step, s *trace.Step) *trace.Step {
	for {
		// A cause began before what it caused: nothing can be above itself.
		above := byID[s.Cause]
		if above == nil || s.Cause >= s.ID {
			return s
		}
		s = above
	}
}

// tells says whether a step wrote something, or was turned back.
func tells(s *trace.Step) bool {
	switch s.Kind.Name {
	case "etcd.put", "etcd.delete", "authentication.refused", "authorization.forbidden", "admission.refused":
		return true
	case "kubectl.request":
		d := detailsOf(s)
		code, _ := d["code"].(float64)
		return d["method"] != "GET" && code >= 400
	}
	return false
}

// detailsOf are a step's details as the page has them.
func detailsOf(s *trace.Step) map[string]any {
	var read struct {
		Details map[string]any `json:"details"`
	}
	if err := json.Unmarshal(s.JSON(true), &read); err != nil {
		return nil // a kind's own, which are no object
	}
	return read.Details
}
