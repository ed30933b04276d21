package port

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"
)

// posted is a message as a page could post it; a JSON string stands for the bytes of a Uint8Array.
type posted map[string]any

var _ message = posted{}

func (p posted) text(name string) (string, error) {
	text, ok := p[name].(string)
	if !ok {
		return "", fmt.Errorf("%s is no text", name)
	}
	return text, nil
}

func (p posted) number(name string) (int, error) {
	n, ok := p[name].(float64)
	if !ok {
		return 0, fmt.Errorf("%s is no number", name)
	}
	return int(n), nil
}

func (p posted) bytes(name string) ([]byte, error) {
	text, err := p.text(name)
	return []byte(text), err
}

func (p posted) json(name string) (json.RawMessage, error) { return json.Marshal(p[name]) }

func (p posted) optional(name string) (*string, error) {
	if p[name] == nil {
		return nil, nil
	}
	text, err := p.text(name)
	return &text, err
}

// counting is a page that counts the answers to each call.
type counting struct {
	mu      sync.Mutex
	answers map[int]int
}

func (c *counting) Post(o Out) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if o["type"] == "result" || o["type"] == "error" {
		c.answers[o["id"].(int)]++
	}
	return nil
}

// FuzzMessages gives a server a list of messages, in whatever order and form: each call that was
// opened has one answer in the end, and nothing panics.
func FuzzMessages(f *testing.F) {
	for _, c := range []string{
		`[]`, `[{"type":"call","id":1,"method":"echo","params":{"a":1}},{"type":"data","id":1,"chunk":"abc"},{"type":"end","id":1}]`,
		`[{"type":"call","id":1,"method":"edit"},{"type":"edited","id":1,"ask":1,"text":"x"},{"type":"edited","id":1,"ask":1}]`,
		`[{"type":"call","id":1,"method":"echo"},{"type":"call","id":1,"method":"echo"},{"type":"cancel","id":1},{"type":"cancel","id":2}]`,
		`[{"type":"call","id":-1e300,"method":"write"},{"type":"ack","id":1,"bytes":-5},{"type":"ack","id":1,"bytes":1e300}]`,
		`[{"type":"call","id":1,"method":"order"},{"type":"order","id":1,"order":{"x":[1]}},{"type":"signal","id":1,"signal":"INT"},{"type":"resize","id":1,"cols":1,"rows":-1}]`,
		`[{"type":"call","id":1,"method":"nosuch"},{"type":"x"},{"id":1},null,{"type":1}]`,
	} {
		f.Add(c)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var list []posted
		if json.Unmarshal([]byte(text), &list) != nil {
			return
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		page := &counting{answers: map[int]int{}}
		s := NewServer(ctx, page, map[string]Handler{
			"echo":  func(_ context.Context, c *Call) (any, error) { return io.Copy(c.Output("stdout"), c.Input()) },
			"write": func(_ context.Context, c *Call) (any, error) { return c.Output("body").Write(make([]byte, 2*Window)) },
			"edit": func(ctx context.Context, c *Call) (any, error) {
				text, saved, err := c.Edit(ctx, "f", "x")
				return []any{text, saved}, err
			},
			"order": func(ctx context.Context, c *Call) (any, error) {
				select {
				case order := <-c.Orders():
					return order, nil
				case <-ctx.Done():
					return nil, errors.New("none came")
				}
			},
		})
		opened := map[int]bool{}
		for _, p := range list {
			m, err := decode(p)
			if err != nil {
				continue
			}
			if m.Type == "call" {
				opened[m.ID] = true
			}
			s.Receive(m)
		}
		cancel()
		ended := make(chan struct{})
		go func() { s.Wait(); close(ended) }()
		select {
		case <-ended:
		case <-time.After(20 * time.Second):
			t.Fatal("a call does not end")
		}
		page.mu.Lock()
		defer page.mu.Unlock()
		for id := range opened {
			if page.answers[id] == 0 {
				t.Errorf("call %d has no answer", id)
			}
		}
	})
}
