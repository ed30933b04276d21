package tool

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tabernetes/tabernetes/core/program"
)

// T is a tool's run: its process, with input and output that yield and that end with ctx.
type T struct {
	*program.Process
	name string
	ctx  context.Context // yields
	in   io.Reader
	out  *bufio.Writer // flushed before each read and at the end
	code int           // what fail has set
	held holding       // bytes of input that are kept; see hold

	drawn *program.Memory // for held, from the container
}

// main is a tool's body; it returns the exit code.
type main func(t *T) int

// tools are registered by the files that hold them.
var tools = map[string]main{}

// All gives the tools by name, as programs. The map is the caller's own.
func All() map[string]program.Program {
	all := map[string]program.Program{}
	for name, body := range tools {
		all[name] = program.DefaultSignals(body.program(name))
	}
	return all
}

func (body main) program(name string) program.Program {
	return func(ctx context.Context, p *program.Process) int {
		t := &T{Process: p, name: name, ctx: program.Yield(ctx), drawn: p.Memory()}
		defer t.drawn.Free()
		t.in = paced{t, p.Stdin}
		if p.Stdin == nil {
			t.in = strings.NewReader("")
		}
		t.out = bufio.NewWriterSize(pacedWriter{t, p.Stdout}, 16<<10)
		code := body(t)
		if err := t.out.Flush(); err != nil && ctx.Err() == nil {
			t.fail("write error: %s", program.Reason(err))
		}
		if k, ok := errors.AsType[program.Killed](context.Cause(ctx)); ok {
			return 128 + int(k.Signal)
		}
		return max(code, t.code)
	}
}

// paced yields and flushes the output before each read.
type paced struct {
	t *T
	r io.Reader
}

func (p paced) Read(b []byte) (int, error) {
	if err := p.t.out.Flush(); err != nil {
		return 0, err
	}
	if err := p.t.ctx.Err(); err != nil {
		return 0, err
	}
	return p.r.Read(b)
}

// pacedWriter yields at each write.
type pacedWriter struct {
	t *T
	w io.Writer
}

func (p pacedWriter) Write(b []byte) (int, error) {
	if err := p.t.ctx.Err(); err != nil {
		return 0, err
	}
	if p.w == nil {
		return len(b), nil
	}
	return p.w.Write(b)
}

// Path is a file's, as the process has it. It yields: each file of a long list is asked for by it.
func (t *T) Path(name string) string {
	_ = t.ctx.Err()
	return t.Process.Path(name)
}

// fail prints an error after the tool's name and makes the exit code 1 at least.
func (t *T) fail(format string, args ...any) {
	fmt.Fprintf(t.stderr(), "%s: %s\n", t.name, fmt.Sprintf(format, args...))
	t.code = max(t.code, 1)
}

// failed reports err about what; false if it is nil.
func (t *T) failed(what string, err error) bool {
	if err == nil {
		return false
	}
	if t.ctx.Err() == nil {
		t.fail("%s: %s", what, program.Reason(err))
	}
	return true
}

func (t *T) stderr() io.Writer {
	_ = t.out.Flush()
	if t.Stderr == nil {
		return io.Discard
	}
	return t.Stderr
}

func (t *T) printf(format string, args ...any) { fmt.Fprintf(t.out, format, args...) }

func (t *T) print(text string) { _, _ = t.out.WriteString(text) }

// flags parses the tool's options, which define declares. When it returns false the tool is
// to return code.
func (t *T) flags(usage string, define func(f *pflag.FlagSet)) (args []string, code int, ok bool) {
	f := pflag.NewFlagSet(t.name, pflag.ContinueOnError)
	f.SetInterspersed(true)
	f.SetOutput(io.Discard)
	f.Usage = func() {}
	if define != nil {
		define(f)
	}
	err := f.Parse(t.Args[1:])
	switch {
	case errors.Is(err, pflag.ErrHelp):
		fmt.Fprintf(t.stderr(), "Usage: %s %s\n", t.name, usage)
		return nil, 0, false
	case err != nil:
		text := err.Error()
		if letter, after, found := strings.Cut(strings.TrimPrefix(text, "unknown shorthand flag: "), " in "); found && after != "" {
			text = "unrecognized option: " + strings.Trim(letter, "'")
		}
		fmt.Fprintf(t.stderr(), "%s: %s\nUsage: %s %s\n", t.name, text, t.name, usage)
		return nil, 1, false
	}
	return f.Args(), 0, true
}

// usage is for a wrong number of arguments.
func (t *T) usage(text string) int {
	fmt.Fprintf(t.stderr(), "Usage: %s %s\n", t.name, text)
	return 1
}

// open opens a file, or standard input for "-".
func (t *T) open(name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(t.in), nil
	}
	if info, err := t.FS.Stat(t.Path(name)); err == nil && info.IsDir() {
		return nil, errors.New("Is a directory")
	}
	f, err := t.Open(name)
	if err != nil {
		return nil, err
	}
	return struct {
		io.Reader
		io.Closer
	}{paced{t, f}, f}, nil
}

// each calls f with each of the files, or with standard input if there are none.
func (t *T) each(names []string, f func(name string, r io.Reader) error) {
	if len(names) == 0 {
		names = []string{"-"}
	}
	for _, name := range names {
		r, err := t.open(name)
		if err == nil {
			err = f(name, r)
			_ = r.Close()
		}
		if t.ctx.Err() != nil {
			return
		}
		if errors.Is(err, errStop) {
			return
		}
		if errors.Is(err, errHeld) {
			t.fail("%v", err)
			return
		}
		if err != nil {
			if name == "-" {
				name = "standard input"
			}
			t.failed("can't open '"+name+"'", err)
		}
	}
}

// errStop ends each and lines early.
var errStop = errors.New("stop")

// lines calls f with each line, without its end.
func (t *T) lines(r io.Reader, f func(line string) error) error { return t.records(r, '\n', f) }

// records is lines of what ends in another byte.
func (t *T) records(r io.Reader, end byte, f func(record string) error) error {
	for reader := t.lineReader(r); ; {
		line, err := reader.next(end)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := f(strings.TrimSuffix(line, string(rune(end)))); err != nil {
			return err
		}
		if err := t.ctx.Err(); err != nil {
			return err
		}
	}
}

// into is the path of name in directory dir.
func into(dir, name string) string {
	return strings.TrimSuffix(dir, "/") + "/" + path.Base(path.Clean(name))
}
