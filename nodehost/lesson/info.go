package lesson

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// info is what stands behind a fence: "shell until="deploy/web Available" timeout=60".
type info struct {
	language string
	given    map[string]string
}

var attribute = regexp.MustCompile(`^([a-z]+)(?:=(?:"([^"\\]*)"|([^\s"\\]+)))?(?:[ \t]+|$)`)

// parseInfo reads a language, and attributes of it: words, word=value or word="a value".
func parseInfo(text string) (info, error) {
	text = strings.Trim(text, " \t")
	language, rest := text, ""
	if at := strings.IndexAny(text, " \t"); at >= 0 {
		language, rest = text[:at], strings.TrimLeft(text[at:], " \t")
	}
	in := info{language: language, given: map[string]string{}}
	for rest != "" {
		m := attribute.FindStringSubmatch(rest)
		if m == nil {
			return in, fmt.Errorf("%q is not understood: write NAME, NAME=VALUE or NAME=\"A VALUE\"", cut(rest))
		}
		if _, twice := in.given[m[1]]; twice {
			return in, fmt.Errorf("%s is said twice", m[1])
		}
		in.given[m[1]] = m[2] + m[3]
		rest = rest[len(m[0]):]
	}
	return in, nil
}

// may names the attributes that each kind of block has; a language that is not here is shown as code.
var may = map[string][]string{
	"shell":    {"until", "timeout", "exit", "eventually", "prepare", "reset", "hidden", "norun"},
	"yaml":     {"apply", "until", "timeout", "prepare", "reset", "hidden"},
	"output":   {},
	"check":    {"title", "until", "timeout"},
	"cel":      {"title", "object", "timeout"},
	"trace":    {"title", "timeout"},
	"question": {},
	"solution": {"until", "timeout"},
}

// languages that are shell.
var aliases = map[string]string{"sh": "shell", "bash": "shell", "console": "shell", "yml": "yaml"}

// part makes what a fenced block does of its info and text; nil if it is only shown.
func (in info) part(text string) (*Part, error) {
	language := in.language
	if same, ok := aliases[language]; ok {
		language = same
	}
	known, ok := may[language]
	if !ok {
		return nil, nil
	}
	for name := range in.given {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("a block of %s has no %q", in.language, cut(name))
		}
	}
	if len(text) > MaxText {
		return nil, fmt.Errorf("a block of %d bytes is too long: %d are the most", len(text), MaxText)
	}
	p := &Part{Text: strings.TrimRight(text, "\n")}
	if err := in.attributes(p); err != nil {
		return nil, err
	}
	switch language {
	case "shell":
		if in.has("norun") {
			if len(in.given) > 1 {
				return nil, fmt.Errorf("a block with norun is only shown: it has nothing else")
			}
			return nil, nil
		}
		p.Kind, p.Text = Run, script(text)
	case "yaml":
		if !in.has("apply") && !p.Prepare && !p.Reset {
			if len(in.given) > 0 {
				return nil, fmt.Errorf("a block of yaml is applied if it has apply or prepare")
			}
			return nil, nil
		}
		p.Kind = Apply
	case "solution":
		p.Kind, p.Text = Solution, script(text)
	case "check":
		p.Kind, p.Text = Check, script(text)
		if (p.Until == nil) == (p.Text == "") {
			return nil, fmt.Errorf("a check has either until or lines for the shell")
		}
	case "cel":
		p.Kind, p.Text = CEL, strings.TrimSpace(text)
		if p.Object == nil {
			return nil, fmt.Errorf("a block of cel needs object=\"KIND/NAME\"")
		}
	case "trace":
		p.Kind, p.Text = Trace, strings.TrimSpace(text)
		return p, traced(p.Text)
	case "output":
		p.Kind = output
	case "question":
		p.Kind = Question
		return p, p.question(text)
	}
	if p.Text == "" && p.Kind != Check && p.Kind != output {
		return nil, fmt.Errorf("a block of %s is empty", in.language)
	}
	return p, nil
}

// output is not a part of its own: what the block before it prints.
const output Kind = "output"

func (in info) has(name string) bool { _, ok := in.given[name]; return ok }

func (in info) attributes(p *Part) (err error) {
	for _, flag := range []struct {
		name string
		to   *bool
	}{{"eventually", &p.Eventually}, {"prepare", &p.Prepare}, {"reset", &p.Reset}, {"hidden", &p.Hidden}} {
		value, ok := in.given[flag.name]
		if ok && value != "" {
			return fmt.Errorf("%s has no value", flag.name)
		}
		*flag.to = ok
	}
	switch {
	case p.Prepare && p.Reset:
		return fmt.Errorf("a block is for prepare or for reset: both are run when a step is made anew")
	case p.Hidden && !p.Prepare && !p.Reset:
		return fmt.Errorf("a block that is hidden is for prepare or for reset: a reader is to see what runs")
	}
	p.Title = in.given["title"]
	if len(p.Title) > MaxTitle {
		return fmt.Errorf("a title has at most %d bytes", MaxTitle)
	}
	if text, ok := in.given["until"]; ok {
		if p.Until, err = ParseUntil(text); err != nil {
			return err
		}
	}
	if text, ok := in.given["object"]; ok {
		if p.Object, err = parseObject(text); err != nil {
			return err
		}
	}
	if text, ok := in.given["timeout"]; ok {
		if p.Seconds, err = number("timeout", text, 1, MaxSeconds); err != nil {
			return err
		}
	}
	if text, ok := in.given["exit"]; ok {
		if text == "any" {
			p.Exit = AnyExit
		} else if p.Exit, err = number("exit", text, 0, 255); err != nil {
			return err
		}
	}
	return nil
}

var digits = regexp.MustCompile(`^[0-9]{1,3}$`)

func number(name, text string, least, most int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || !digits.MatchString(text) || n < least || n > most {
		return 0, fmt.Errorf("%s=%q: a number from %d to %d is wanted", name, cut(text), least, most)
	}
	return n, nil
}

var prompt = regexp.MustCompile(`^\s*\$ `)

// script are the lines of a block that are commands. Where one begins with a prompt, "$ ", only those that
// do are, with what continues them: the others are what was printed. As web/lesson/block.ts has it.
func script(text string) string {
	lines := strings.Split(text, "\n")
	if !slices.ContainsFunc(lines, prompt.MatchString) {
		return strings.TrimSpace(text)
	}
	var kept []string
	goesOn := false
	for _, line := range lines {
		if !goesOn && !prompt.MatchString(line) {
			continue
		}
		if goesOn {
			line = strings.TrimPrefix(strings.TrimPrefix(line, ">"), " ")
		} else {
			line = line[len(prompt.FindString(line)):]
		}
		kept = append(kept, line)
		goesOn = strings.HasSuffix(line, `\`)
	}
	return strings.TrimSpace(strings.Join(kept, "\n"))
}
