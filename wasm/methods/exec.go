package methods

import (
	"context"
	"fmt"

	"github.com/tabernetes/tabernetes/core/kubectl"
	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/wasm/port"
)

type execParams struct {
	Line    string   `json:"line"`
	Args    []string `json:"args"` // a program and its arguments, in place of a line
	Session string   `json:"session"`
	TTY     bool     `json:"tty"`
	Cols    int      `json:"cols"`
	Rows    int      `json:"rows"`
}

type execResult struct {
	Code int `json:"code"`
}

// Exec serves `exec`: one line in a session of the terminal, or one program without a shell. A failing command is a result with
// its exit code, not an error.
func Exec(t *kubectl.Terminal) port.Handler {
	return func(ctx context.Context, c *port.Call) (any, error) {
		var p execParams
		if err := c.Params(&p); err != nil {
			return nil, fmt.Errorf("exec: %w", err)
		}
		streams := kubectl.Streams{
			Stdin:   c.Input(),
			Stdout:  c.Output("stdout"),
			Stderr:  c.Output("stderr"),
			Signals: signals(ctx, c),
		}
		if p.TTY {
			c.SetSize(port.Size{Cols: p.Cols, Rows: p.Rows})
			c.AskForInput()
			streams.Terminal = terminal{c}
		}
		s := t.Session(p.Session)
		if len(p.Args) > 0 {
			return execResult{s.Exec(ctx, p.Args, streams)}, nil
		}
		return execResult{s.Run(ctx, p.Line, streams)}, nil
	}
}

// signals translates the page's signals until ctx is done.
func signals(ctx context.Context, c *port.Call) <-chan program.Signal {
	out := make(chan program.Signal)
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case name := <-c.Signals():
				s := program.SIGINT
				if name == "TERM" {
					s = program.SIGTERM
				}
				select {
				case out <- s:
				case <-ctx.Done():
					return
				}
			}
		}
	}()
	return out
}

// terminal is the page's terminal as a program sees it.
type terminal struct{ call *port.Call }

var (
	_ program.Terminal = terminal{}
	_ kubectl.Editor   = terminal{}
)

func (t terminal) Size() (cols, rows int) {
	s := t.call.Size()
	return s.Cols, s.Rows
}

func (t terminal) Raw(on bool)              { _ = t.call.Raw(on) } // a call that has ended shows nothing
func (t terminal) Resized() <-chan struct{} { return t.call.Resized() }

// Edit opens the page's editor.
func (t terminal) Edit(ctx context.Context, name, text string) (edited string, saved bool, err error) {
	return t.call.Edit(ctx, name, text)
}
