package port

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// page stands in for web/rpc/client.ts: it keeps what arrives and acknowledges at will.
type page struct {
	t  *testing.T
	s  *Server
	mu sync.Mutex
	in []Out
}

func (p *page) Post(o Out) error {
	if _, bad := o["value"].(func()); bad {
		return errors.New("could not be cloned")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.in = append(p.in, o)
	return nil
}

func (p *page) arrived() []Out {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]Out(nil), p.in...)
}

// text joins the chunks of a stream.
func (p *page) text(stream string) string {
	var b strings.Builder
	for _, o := range p.arrived() {
		if o["type"] == "data" && (stream == "" || o["stream"] == stream) {
			b.Write(o["chunk"].([]byte))
		}
	}
	return b.String()
}

// answers are the messages that end a call.
func (p *page) answers() []Out {
	var answers []Out
	for _, o := range p.arrived() {
		if o["type"] == "result" || o["type"] == "error" {
			answers = append(answers, o)
		}
	}
	return answers
}

// open starts a server with one method "m" and calls it with id 1.
func open(t *testing.T, h Handler) *page {
	t.Helper()
	p := &page{t: t}
	p.s = NewServer(t.Context(), p, map[string]Handler{"m": h})
	p.s.Receive(In{Type: "call", ID: 1, Method: "m", Params: []byte(`{"name":"x"}`)})
	return p
}

func (p *page) wantAnswer(want Out) {
	p.t.Helper()
	p.s.Wait()
	if got := p.answers(); len(got) != 1 || !reflect.DeepEqual(got[0], want) {
		p.t.Errorf("answers %v, want one %v", got, want)
	}
}

func TestCallEchoesItsInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := open(t, func(_ context.Context, c *Call) (any, error) {
			var params struct{ Name string }
			if err := c.Params(&params); err != nil || params.Name != "x" {
				t.Errorf("params %+v, %v", params, err)
			}
			_, err := io.Copy(c.Output("stdout"), c.Input())
			return "done", err
		})
		for _, s := range []string{"one ", "two ", "three"} {
			p.s.Receive(In{Type: "data", ID: 1, Chunk: []byte(s)})
		}
		p.s.Receive(In{Type: "end", ID: 1})
		p.wantAnswer(Out{"type": "result", "id": 1, "value": "done"})
		if got := p.text("stdout"); got != "one two three" {
			t.Errorf("stdout %q", got)
		}
		if n := len(p.arrived()); p.arrived()[n-1]["type"] != "result" {
			t.Error("the result is not the last message")
		}
	})
}

func TestSmallWritesAreGatheredInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := open(t, func(_ context.Context, c *Call) (any, error) {
			for i := range 1000 {
				fmt.Fprintf(c.Output("stdout"), "%d,", i)
			}
			fmt.Fprint(c.Output("stderr"), "oops")
			fmt.Fprint(c.Output("stdout"), "end")
			time.Sleep(time.Second) // gathered data must not wait for the end of the call
			if p := c.wire.(*pageWire).Wire.(*page); p.text("stdout") == "" {
				t.Error("nothing was sent before the call's end")
			}
			return nil, nil
		})
		p.s.Wait()
		if n := len(p.arrived()); n > 5 {
			t.Errorf("1002 writes took %d messages", n)
		}
		if got := p.text(""); !strings.HasSuffix(got, "999,oopsend") {
			t.Errorf("order: …%q", got[len(got)-20:])
		}
	})
}

func TestWindowHoldsTheWriterBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const total = 3 * Window
		p := open(t, func(_ context.Context, c *Call) (any, error) {
			n, err := c.Output("body").Write(bytes.Repeat([]byte("x"), total))
			return n, err
		})
		synctest.Wait()
		if got := len(p.text("")); got > Window {
			t.Errorf("%d bytes under way, the window is %d", got, Window)
		}
		for seen := 0; len(p.answers()) == 0; {
			got := len(p.text(""))
			if got == seen && got < total {
				t.Fatalf("stuck at %d bytes", got)
			}
			p.s.Receive(In{Type: "ack", ID: 1, Bytes: got - seen})
			seen = got
			synctest.Wait()
		}
		p.wantAnswer(Out{"type": "result", "id": 1, "value": total})
		if got := len(p.text("")); got != total {
			t.Errorf("%d bytes arrived of %d", got, total)
		}
	})
}

func TestCancelEndsReadersAndWriters(t *testing.T) {
	for name, h := range map[string]Handler{
		"read": func(_ context.Context, c *Call) (any, error) {
			_, err := c.Input().Read(make([]byte, 1))
			return nil, err
		},
		"write": func(_ context.Context, c *Call) (any, error) { return io.Copy(c.Output("body"), zeros{}) },
		"ctx":   func(ctx context.Context, _ *Call) (any, error) { <-ctx.Done(); return nil, context.Cause(ctx) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := open(t, h)
				synctest.Wait()
				if len(p.answers()) != 0 {
					t.Fatal("answered before cancel")
				}
				p.s.Receive(In{Type: "cancel", ID: 1})
				p.wantAnswer(Out{"type": "error", "id": 1, "error": map[string]any{"message": ErrCancelled.Error()}})
				p.s.Receive(In{Type: "cancel", ID: 1}) // late: no second answer
				p.wantAnswer(p.answers()[0])
			})
		})
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { return len(b), nil }

func TestEveryFaultIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := open(t, func(context.Context, *Call) (any, error) { panic("boom") })
		p.s.Wait()
		e := p.answers()[0]["error"].(map[string]any)
		if !strings.Contains(e["message"].(string), "boom") || e["hint"] == "" {
			t.Errorf("a panic is answered by %v", e)
		}
		p.s.Receive(In{Type: "call", ID: 2, Method: "nothing"})
		p.s.Wait()
		if e := p.answers()[1]["error"].(map[string]any); !strings.Contains(e["message"].(string), `"nothing"`) {
			t.Errorf("an unknown method is answered by %v", e)
		}
		p.s.handlers["unsendable"] = func(context.Context, *Call) (any, error) { return func() {}, nil }
		p.s.Receive(In{Type: "call", ID: 3, Method: "unsendable"})
		p.s.Wait()
		if got := p.answers(); len(got) != 3 || got[2]["type"] != "error" {
			t.Errorf("a result that cannot be sent is answered by %v", got[2:])
		}
		p.s.handlers["hint"] = func(context.Context, *Call) (any, error) {
			return nil, fmt.Errorf("outer: %w", &Error{Err: errors.New("inner"), Hint: "try again"})
		}
		p.s.Receive(In{Type: "call", ID: 4, Method: "hint"})
		p.s.Wait()
		want := map[string]any{"message": "outer: inner", "hint": "try again"}
		if got := p.answers()[3]["error"]; !reflect.DeepEqual(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}

func TestTerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := open(t, func(ctx context.Context, c *Call) (any, error) {
			c.AskForInput()
			fmt.Fprint(c.Output("stdout"), "name? ")
			line := make([]byte, 100)
			n, err := c.Input().Read(line)
			if err != nil {
				return nil, err
			}
			<-c.Resized()
			return fmt.Sprintf("%s %v %s", line[:n], c.Size(), <-c.Signals()), nil
		})
		synctest.Wait()
		last := p.arrived()[len(p.arrived())-1]
		if last["type"] != "stdin" || p.text("stdout") != "name? " {
			t.Errorf("the prompt and then the question for input: %v", p.arrived())
		}
		p.s.Receive(In{Type: "data", ID: 1, Chunk: []byte("Ada")})
		p.s.Receive(In{Type: "resize", ID: 1, Cols: 100, Rows: 30})
		p.s.Receive(In{Type: "signal", ID: 1, Signal: "INT"})
		p.wantAnswer(Out{"type": "result", "id": 1, "value": "Ada {100 30} INT"})
	})
}

func TestEdit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := open(t, func(ctx context.Context, c *Call) (any, error) {
			first, saved, err := c.Edit(ctx, "a.yaml", "old")
			if err != nil || !saved {
				return nil, fmt.Errorf("saved %v, error %w", saved, err)
			}
			_, saved, err = c.Edit(ctx, "b.yaml", first)
			return fmt.Sprint(first, saved, err), nil
		})
		synctest.Wait()
		text := "new"
		if got := p.arrived()[0]; !reflect.DeepEqual(got, Out{"type": "edit", "id": 1, "ask": 1, "name": "a.yaml", "text": "old"}) {
			t.Errorf("asks with %v", got)
		}
		p.s.Receive(In{Type: "edited", ID: 1, Ask: 7, Text: &text}) // of no edit
		p.s.Receive(In{Type: "edited", ID: 1, Ask: 1, Text: &text})
		synctest.Wait()
		if got := p.arrived()[1]; got["text"] != "new" || got["ask"] != 2 {
			t.Errorf("then asks with %v", got)
		}
		p.s.Receive(In{Type: "edited", ID: 1, Ask: 2})
		p.wantAnswer(Out{"type": "result", "id": 1, "value": "newfalse <nil>"})
	})
}

func TestInboxIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := open(t, func(ctx context.Context, _ *Call) (any, error) { <-ctx.Done(); return nil, context.Cause(ctx) })
		synctest.Wait()
		for range maxInbox/(1<<20) + 1 {
			p.s.Receive(In{Type: "data", ID: 1, Chunk: make([]byte, 1<<20)})
		}
		p.wantAnswer(Out{"type": "error", "id": 1, "error": map[string]any{"message": errInboxFull.Error()}})
	})
}
