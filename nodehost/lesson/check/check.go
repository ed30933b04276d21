package check

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/kubectl"
	"github.com/tabernetes/tabernetes/core/trace"
	"github.com/tabernetes/tabernetes/nodehost/lesson"
)

// Options of a check.
type Options struct {
	// Dir is the lesson's folder.
	Dir string
	// Out is told how it goes on.
	Out io.Writer
}

// Run reads a lesson and runs it on a cluster of its own. What is wrong with its text is returned at once, as
// lesson.Problems; of what runs, the first that is not as the lesson says. It needs a network of its own (core/netns),
// and from then on the process has no files but those of a directory of its own (shut): it is the last thing that a
// process does.
func Run(ctx context.Context, o Options) error {
	l, where, err := load(o.Dir)
	if err != nil {
		return err
	}
	manifests := map[string]string{}
	for _, name := range l.Manifests {
		raw, err := lesson.File(o.Dir, name)
		if err != nil {
			return err
		}
		manifests[name] = string(raw)
	}
	remove, err := shut()
	if err != nil {
		return err
	}
	defer func() { _ = remove() }() // of what still runs something may come after it
	begin := time.Now()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	nodes := l.Nodes
	if nodes == 0 {
		nodes = lesson.DefaultNodes
	}
	bus := trace.New()
	terminal, err := start(ctx, "/", nodes, bus)
	if err != nil {
		return err
	}
	fmt.Fprintf(o.Out, "%s: %d steps; a cluster with %d nodes in %.1f s\n", l.Title, len(l.Steps), nodes, time.Since(begin).Seconds())
	r := &runner{manifests: manifests, where: where, terminal: terminal, trace: bus, out: o.Out}
	return r.lesson(ctx, l)
}

type runner struct {
	manifests map[string]string     // by name, those that the lesson has applied first
	where     func(line int) string // names the place of a line of the lesson
	terminal  *kubectl.Terminal
	trace     *trace.Bus
	out       io.Writer
}

func (r *runner) lesson(ctx context.Context, l *lesson.Lesson) error {
	if line, kind := unknown(l); line > 0 {
		return r.at(line, fmt.Errorf("no step of a trace is called %q", kind))
	}
	for _, name := range l.Manifests {
		if err := r.do(ctx, lesson.Part{Kind: lesson.Apply, Text: r.manifests[name]}); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if err := r.parts(ctx, l.Prepare, lesson.Part.Always); err != nil {
		return err
	}
	for i, step := range l.Steps {
		begin := time.Now()
		if err := r.step(ctx, step); err != nil {
			return err
		}
		fmt.Fprintf(r.out, "%6.1f s  %d. %s\n", time.Since(begin).Seconds(), i+1, step.Title)
	}
	return nil
}

// step does a step, and, if it can be made anew, that and the step again.
func (r *runner) step(ctx context.Context, step lesson.Step) error {
	if err := r.once(ctx, step.Parts); err != nil {
		return err
	}
	if !slices.ContainsFunc(step.Parts, func(p lesson.Part) bool { return p.Reset }) {
		return nil
	}
	if err := r.parts(ctx, step.Parts, func(p lesson.Part) bool { return p.Reset }); err != nil {
		return fmt.Errorf("%w\nwhile the step was made anew", err)
	}
	if err := r.once(ctx, step.Parts); err != nil {
		return fmt.Errorf("%w\nafter the step was made anew", err)
	}
	return nil
}

func (r *runner) once(ctx context.Context, parts []lesson.Part) error {
	if err := r.parts(ctx, parts, func(p lesson.Part) bool { return p.Prepare }); err != nil {
		return err
	}
	solved := false
	for i, p := range parts {
		if p.Prepare || p.Reset {
			continue
		}
		if p.Kind == lesson.Solution && !solved {
			solved = true
			if err := r.mustLack(ctx, parts[i+1:]); err != nil {
				return err
			}
		}
		if err := r.part(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

func (r *runner) parts(ctx context.Context, parts []lesson.Part, which func(lesson.Part) bool) error {
	for _, p := range parts {
		if which(p) {
			if err := r.part(ctx, p); err != nil {
				return err
			}
		}
	}
	return nil
}

// mustLack says so if nothing is wrong before the reader has done the task: such checks check nothing.
func (r *runner) mustLack(ctx context.Context, after []lesson.Part) error {
	first := 0
	for _, p := range after {
		if !p.Checks() {
			continue
		}
		if first == 0 {
			first = p.Line
		}
		p.Seconds = 1
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		_, err := r.try(ctx, p)
		cancel()
		if err != nil {
			return nil
		}
	}
	if first == 0 {
		return nil
	}
	return r.at(first, fmt.Errorf("every check of this step passes before its solution was run, from this one on"))
}

// part does a part until it is as the lesson says, or for as long as it may take.
func (r *runner) part(ctx context.Context, p lesson.Part) error {
	if err := r.do(ctx, p); err != nil {
		return r.at(p.Line, err)
	}
	return nil
}

func (r *runner) at(line int, err error) error {
	return fmt.Errorf("%s: %w", r.where(line), err)
}

const (
	again = 250 * time.Millisecond // between two tries
	slack = 30 * time.Second       // a busy machine's, for what kubectl itself waits for
)

func (r *runner) do(ctx context.Context, p lesson.Part) error {
	// A command that hangs ends here; it does not count how often it was tried.
	ctx, cancel := context.WithTimeout(ctx, p.Timeout()+slack)
	defer cancel()
	deadline := time.Now().Add(p.Timeout())
	for {
		printed, err := r.try(ctx, p)
		if err == nil {
			return nil
		}
		repeats := p.Eventually || p.Checks()
		if ctx.Err() != nil || !repeats || time.Now().After(deadline) {
			return fmt.Errorf("%s: %w%s", named(p), err, quoted(printed))
		}
		select {
		case <-ctx.Done():
		case <-time.After(again):
		}
	}
}

// try does a part once, and gives what it printed.
func (r *runner) try(ctx context.Context, p lesson.Part) (printed string, err error) {
	switch p.Kind {
	case lesson.Question, lesson.Hint:
		return "", nil
	case lesson.Trace:
		return traced(r.trace, p)
	case lesson.Apply:
		printed, err = r.kubectl(ctx, p.Text, "apply", "-f", "-")
	case lesson.CEL:
		var object string
		if object, err = r.kubectl(ctx, "", append(append([]string{"get"}, p.Object.Args()...), "-o", "json")...); err == nil {
			printed, err = r.program(ctx, object, "cel", p.Text)
		}
	default:
		if p.Text != "" {
			printed, err = r.shell(ctx, p)
		}
	}
	if err != nil || p.Until == nil {
		return printed, err
	}
	args := append([]string{"wait"}, p.Until.Args()...)
	wait := fmt.Sprintf("--timeout=%ds", int(p.Timeout().Seconds()))
	if printed, err := r.kubectl(ctx, "", append(args, "--for="+p.Until.Reached, wait)...); err != nil {
		return printed, fmt.Errorf("until=%q has not come: %w", p.Until, err)
	}
	return printed, nil
}

func (r *runner) shell(ctx context.Context, p lesson.Part) (string, error) {
	name := session
	if p.Kind == lesson.Check {
		name = checks // what a check sets is not the reader's
	}
	out, both := &output{}, &output{}
	code := r.terminal.Session(name).Run(ctx, p.Text, kubectl.Streams{Stdin: strings.NewReader(""), Stdout: tee{out, both}, Stderr: both})
	switch {
	case ctx.Err() != nil:
		return both.String(), fmt.Errorf("it did not end within %d seconds", int((p.Timeout() + slack).Seconds()))
	case p.Exit != lesson.AnyExit && code != p.Exit:
		return both.String(), fmt.Errorf("it ended with exit code %d, %d was expected", code, p.Exit)
	case p.Output != "":
		// What it says of an error is output to a reader.
		if err := lesson.Expect(p.Output, both.String()); err != nil {
			if lesson.Expect(p.Output, out.String()) == nil {
				return both.String(), nil
			}
			return both.String(), fmt.Errorf("it printed something else than expected: %w\nexpected:\n%s", err, indented(p.Output))
		}
	}
	return both.String(), nil
}

// The shells of a lesson: what its blocks set is there in the next one.
const (
	session = "lesson"
	checks  = "lesson-check"
)

func (r *runner) kubectl(ctx context.Context, stdin string, args ...string) (string, error) {
	return r.program(ctx, stdin, append([]string{"kubectl"}, args...)...)
}

func (r *runner) program(ctx context.Context, stdin string, args ...string) (string, error) {
	out, errs := &output{}, &output{}
	code := r.terminal.Session(checks).Exec(ctx, args, kubectl.Streams{Stdin: strings.NewReader(stdin), Stdout: out, Stderr: errs})
	if code != 0 {
		said := strings.TrimSpace(errs.String())
		if said == "" {
			said = strings.TrimSpace(out.String())
		}
		return "", fmt.Errorf("%s ended with exit code %d: %s", args[0], code, said)
	}
	return out.String(), nil
}

// named says which part it is.
func named(p lesson.Part) string {
	text, _, more := strings.Cut(p.Called(), "\n")
	if len(text) > 100 || more {
		text = text[:min(len(text), 100)] + " …"
	}
	return fmt.Sprintf("%s %q", p.Kind, text)
}

// maxQuoted is how much of what was printed an error repeats: the end.
const maxQuoted = 4 << 10

func quoted(printed string) string {
	if strings.TrimSpace(printed) == "" {
		return ""
	}
	if len(printed) > maxQuoted {
		printed = "…" + strings.ToValidUTF8(printed[len(printed)-maxQuoted:], "")
	}
	return "\nit printed:\n" + indented(printed)
}

func indented(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n    ")
}
