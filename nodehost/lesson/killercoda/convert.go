package killercoda

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/tabernetes/tabernetes/nodehost/lesson"
)

// Converted is a scenario as a lesson.
type Converted struct {
	// Text is its lesson.md.
	Text  string
	lines []origin // of Text, from its first
}

type origin struct {
	file string
	line int
}

// At is where a line of Text comes from: a file of the scenario, and its line. Lines that were made for the
// lesson come from index.json.
func (c *Converted) At(line int) (file string, at int) {
	if line < 1 || line > len(c.lines) {
		return Name, 0
	}
	o := c.lines[line-1]
	return o.file, o.line
}

// Is says whether a folder holds a scenario, and no lesson.
func Is(dir string) bool {
	_, noLesson := os.Stat(filepath.Join(dir, lesson.Name))
	_, err := os.Stat(filepath.Join(dir, Name))
	return err == nil && noLesson != nil
}

// About is what a scenario says of itself, refused or not: title, description and nodes.
func About(dir string) lesson.Lesson {
	i, _ := (&converter{dir: dir}).index() // who opens it is told what is wrong
	return lesson.Lesson{Title: i.title, Description: i.description, Nodes: i.nodes}
}

// Convert reads a scenario. lacks says why a program is not in the terminal, "" if it is or nobody knows. All
// that is refused is returned at once, as lesson.Problems of the scenario's files.
func Convert(dir string, lacks func(program string) string) (*Converted, error) {
	c := &converter{dir: dir, lacks: lacks}
	i, err := c.index()
	if err != nil {
		return nil, err
	}
	c.made("---", "title: "+quoted(i.title), "description: "+quoted(i.description), fmt.Sprintf("nodes: %d", i.nodes), "---", "")
	// What it executes needs a step, which what stands before the first is not.
	c.step(i.intro, cmp.Or(i.intro.title, "Introduction"))
	for n, step := range i.steps {
		c.step(step, cmp.Or(step.title, fmt.Sprintf("Step %d", n+1)))
	}
	c.step(i.finish, cmp.Or(i.finish.title, "The end"))
	if len(c.problems) > 0 {
		return nil, errors.Join(c.problems...)
	}
	return &c.Converted, nil
}

// quoted is a string of JSON, which is one of YAML.
func quoted(text string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // it never fails
	return strings.TrimSuffix(b.String(), "\n")
}

type converter struct {
	Converted
	dir      string
	raw      []byte // index.json
	full     bool   // it was refused for its length
	lacks    func(string) string
	problems []error
}

func (c *converter) refuse(file string, line int, format string, args ...any) error {
	err := lesson.Problem{File: filepath.Join(c.dir, file), Line: line, What: fmt.Sprintf(format, args...)}
	c.problems = append(c.problems, err)
	return err
}

func (c *converter) put(text string, from origin) {
	c.Text += text + "\n"
	c.lines = append(c.lines, from)
}

func (c *converter) made(lines ...string) {
	for _, line := range lines {
		c.put(line, origin{file: Name})
	}
}

func (c *converter) step(p page, title string) {
	if p == (page{}) {
		return
	}
	c.made("## "+strings.Join(strings.FieldsFunc(title, func(r rune) bool { return r == '\n' || r == '\r' }), " "), "")
	for _, script := range []string{p.background, p.foreground} {
		c.script(script, "shell prepare hidden")
	}
	c.markdown(p.text)
	c.script(p.verify, `check title="The step is done" timeout=30`)
}

// maxFence is longer than any fence that a file of a scenario may have.
const maxFence = "~~~~~~~~~~~~~~~~"

// mark is what some editors put before a text.
const mark = "\ufeff"

// blanks are what counts as nothing in a line.
const blanks = " \t\f"

// script puts a file that runs.
func (c *converter) script(name, info string) {
	if name == "" {
		return
	}
	text, ok := c.read(name)
	if !ok {
		return
	}
	c.runs(name, 1, text)
	c.put(maxFence+info, origin{name, 1})
	for n, line := range strings.Split(text, "\n") {
		c.put(line, origin{name, n + 1})
	}
	c.put(maxFence, origin{name, 1})
	c.made("")
}

func (c *converter) read(name string) (string, bool) {
	line := lineOf(c.raw, name)
	if !lesson.Plain(name) {
		_ = c.refuse(Name, line, "%q is no file of the scenario's folder", cut(name))
		return "", false
	}
	raw, err := lesson.File(c.dir, name)
	if err != nil {
		_ = c.refuse(Name, line, "%q cannot be read: %v", name, err)
		return "", false
	}
	text := strings.TrimPrefix(string(raw), mark)
	text = strings.TrimRight(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "\n")
	if len(c.Text)+len(text) > lesson.MaxFile {
		if !c.full {
			_ = c.refuse(name, 0, "a scenario has at most %d bytes", lesson.MaxFile)
		}
		c.full = true
		return "", false
	}
	if at := strings.Index(text, maxFence); at >= 0 {
		_ = c.refuse(name, 1+strings.Count(text[:at], "\n"), "a line of %s ends a block here", maxFence)
		return "", false
	}
	return text, true
}

// runs looks for programs that are not here in what will run.
func (c *converter) runs(file string, first int, text string) {
	if len(text) > lesson.MaxText {
		return // a lesson takes no longer block, and says so of it
	}
	parsed, err := syntax.NewParser().Parse(strings.NewReader(text), file)
	if err != nil {
		line := first
		if at, ok := errors.AsType[syntax.ParseError](err); ok {
			line += int(at.Pos.Line()) - 1
		}
		_ = c.refuse(file, line, "this is no shell: %v", err)
		return
	}
	syntax.Walk(parsed, func(node syntax.Node) bool {
		call, ok := node.(*syntax.CallExpr)
		if !ok {
			return true
		}
		for i, word := range call.Args {
			name := word.Lit()
			if why := c.lacks(filepath.Base(name)); name != "" && why != "" {
				_ = c.refuse(file, first+int(word.Pos().Line())-1, "%q is not here: %s", name, why)
			}
			if i > 0 || name != "sudo" && name != "exec" && name != "time" { // what they run is the next word
				break
			}
		}
		return true
	})
}

var (
	heading = regexp.MustCompile(`^(#{1,6})(\s.*)?$`)
	fence   = regexp.MustCompile("^(```+|~~~+)\\s*([^`\\s]*)[^`]*$")
	action  = regexp.MustCompile(`\{\{\s*([^{}]*?)\s*\}\}`)
	inline  = regexp.MustCompile("`([^`\n]+)`\\{\\{\\s*(exec|copy)\\s*\\}\\}")
)

// markdown puts a page's Markdown: blocks followed by {{exec}} run, and lines with code followed by it do below
// their paragraph.
func (c *converter) markdown(name string) {
	if name == "" {
		return
	}
	text, ok := c.read(name)
	if !ok {
		return
	}
	lines := strings.Split(text, "\n")
	var below []string // commands of the paragraph
	var belowAt int
	flush := func() {
		if len(below) > 0 {
			c.made("")
			c.block(name, belowAt, "shell", below)
		}
		below = nil
	}
	for n := 0; n < len(lines); n++ {
		line := lines[n]
		if m := fence.FindStringSubmatch(line); m != nil {
			flush()
			n = c.fenced(name, lines, n, m[1], m[2])
			continue
		}
		if strings.Trim(line, blanks) == "" {
			flush()
		}
		for _, m := range inline.FindAllStringSubmatch(line, -1) {
			if m[2] == "exec" {
				below, belowAt = append(below, m[1]), n+1
			}
		}
		line = inline.ReplaceAllString(line, "`$1`")
		for _, m := range action.FindAllString(line, -1) {
			_ = c.refuse(name, n+1, "%s is not here", m)
		}
		if m := heading.FindStringSubmatch(line); m != nil && len(m[1]) < 3 { // ## begins a step
			line = "###" + m[2]
		}
		c.put(line, origin{name, n + 1})
	}
	flush()
	c.made("")
}

// fenced puts a block that begins at line n (from 0), and gives its last line.
func (c *converter) fenced(name string, lines []string, n int, mark, language string) int {
	end, wanted := n+1, ""
	for ; end < len(lines); end++ {
		line := strings.Trim(lines[end], blanks)
		if rest := strings.TrimLeft(line, mark[:1]); strings.HasPrefix(line, mark) && (rest == "" || strings.HasPrefix(rest, "{{")) {
			wanted = rest
			break
		}
	}
	info := "text"
	switch m := action.FindStringSubmatch(wanted); {
	case wanted == "" || m != nil && m[1] == "copy":
		if language == "yaml" || language == "json" {
			info = language
		}
	case m != nil && m[1] == "exec":
		info = "shell"
	default:
		_ = c.refuse(name, end+1, "%s is not here", wanted)
	}
	c.block(name, n+2, info, lines[n+1:min(end, len(lines))])
	return end
}

// block puts lines, the first of which is line first of the file.
func (c *converter) block(name string, first int, info string, lines []string) {
	if info == "shell" {
		c.runs(name, first, strings.Join(lines, "\n"))
	}
	c.put(maxFence+info, origin{name, first})
	for n, line := range lines {
		c.put(line, origin{name, first + n})
	}
	c.put(maxFence, origin{name, first})
}
