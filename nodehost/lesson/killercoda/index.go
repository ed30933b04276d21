package killercoda

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/nodehost/lesson"
)

// Name is the file of a folder that is a scenario.
const Name = "index.json"

// index is what index.json may say here. Fields that a lesson has no place for are refused.
type index struct {
	title, description string
	intro, finish      page
	steps              []page
	nodes              int
}

// page is a step, what stands before the first, or after the last.
type page struct{ title, text, foreground, background, verify string }

// nodes of the images that a cluster here can stand for.
var nodes = map[string]int{"kubernetes-kubeadm-1node": 1, "kubernetes-kubeadm-2nodes": 2}

// index reads index.json as web/lesson/killercoda/index.ts does. What is wrong is in c.problems.
func (c *converter) index() (index, error) {
	raw, err := lesson.File(c.dir, Name)
	if err != nil {
		return index{}, err
	}
	c.raw = bytes.TrimPrefix(raw, []byte(mark))
	var all any
	if err := json.Unmarshal(c.raw, &all); err != nil {
		line := 0
		if at, ok := errors.AsType[*json.SyntaxError](err); ok {
			line = 1 + bytes.Count(c.raw[:min(int(at.Offset), len(c.raw))], []byte("\n"))
		}
		return index{}, c.refuse(Name, line, "it is no JSON: %v", err)
	}
	// What says how a page looks is not needed.
	top := c.object(all, "scenario", "title", "description", "details", "backend", "difficulty", "time", "interface")
	details := c.object(top["details"], "details", "intro", "steps", "finish")
	backend := c.object(top["backend"], "backend", "imageid")
	i := index{
		title: c.text(top, "title"), description: c.text(top, "description"),
		intro: c.page(details["intro"], "intro"), finish: c.page(details["finish"], "finish"),
	}
	steps, ok := details["steps"].([]any)
	switch {
	case details["steps"] != nil && !ok:
		_ = c.refuse(Name, lineOf(c.raw, "steps"), `"steps" is no list`)
	case len(steps) > lesson.MaxSteps:
		_ = c.refuse(Name, lineOf(c.raw, "steps"), "a lesson has at most %d steps", lesson.MaxSteps)
	default:
		for _, step := range steps {
			i.steps = append(i.steps, c.page(step, "steps"))
		}
	}
	image := c.text(backend, "imageid")
	if i.nodes = nodes[image]; i.nodes == 0 {
		_ = c.refuse(Name, lineOf(c.raw, "imageid"), "the machine %q is not here: a scenario runs in a cluster, kubernetes-kubeadm-1node or -2nodes", cut(image))
	}
	return i, errors.Join(c.problems...)
}

// object is a value that has these fields and no others; nil for one that is not there.
func (c *converter) object(value any, name string, known ...string) map[string]any {
	if value == nil {
		return nil
	}
	fields, ok := value.(map[string]any)
	if !ok {
		_ = c.refuse(Name, lineOf(c.raw, name), "%q is no object", name)
		return nil
	}
	var stray []string
	for field := range fields {
		if !slices.Contains(known, field) {
			stray = append(stray, field)
		}
	}
	slices.Sort(stray)
	for _, field := range stray {
		_ = c.refuse(Name, lineOf(c.raw, field), "a lesson has no place for %q", cut(field))
	}
	return fields
}

func (c *converter) text(of map[string]any, name string) string {
	text, ok := of[name].(string)
	if !ok && of[name] != nil {
		_ = c.refuse(Name, lineOf(c.raw, name), "%q is no text", name)
	}
	return text
}

func (c *converter) page(value any, name string) page {
	of := c.object(value, name, "title", "text", "foreground", "background", "verify")
	return page{
		title: c.text(of, "title"), text: c.text(of, "text"),
		foreground: c.text(of, "foreground"), background: c.text(of, "background"), verify: c.text(of, "verify"),
	}
}

// lineOf is the line where a word first stands between quotes; 0 if it does not.
func lineOf(raw []byte, word string) int {
	at := bytes.Index(raw, fmt.Appendf(nil, "%q", word))
	if at < 0 {
		return 0
	}
	return 1 + bytes.Count(raw[:at], []byte("\n"))
}

// cut shortens what a stranger wrote, for a message.
func cut(s string) string {
	const most = 80
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}
