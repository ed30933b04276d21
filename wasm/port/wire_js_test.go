package port

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/wasm/jsx"
	_ "github.com/tabernetes/tabernetes/wasm/memfs" // a callback logs: see jsx's tests
)

// The whole way over a real MessageChannel: JavaScript's objects in, JavaScript's objects out.
func TestOverMessageChannel(t *testing.T) {
	near, far, err := jsx.Channel()
	if err != nil {
		t.Fatal(err)
	}
	var types []string
	var body strings.Builder
	value := make(chan float64, 1)
	var page *jsx.MessagePort
	page, err = jsx.NewMessagePort("test page", far, func(data jsx.Value) {
		var m struct {
			Type  string
			ID    int
			Value float64
		}
		if err := jsx.Unmarshal(data, &m); err != nil {
			t.Error(err)
		}
		types = append(types, m.Type)
		switch m.Type {
		case "data":
			chunk, err := jsx.Field(data, "chunk")
			if err != nil {
				t.Error(err)
			}
			b, err := jsx.Bytes(chunk)
			if err != nil {
				t.Error(err)
			}
			body.Write(b)
			if err := page.Post(map[string]any{"type": "ack", "id": m.ID, "bytes": len(b)}); err != nil {
				t.Error(err)
			}
		case "result":
			value <- m.Value
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer page.Close()
	_, err = Open(near, func(w Wire) *Server {
		return NewServer(t.Context(), w, map[string]Handler{"double": func(_ context.Context, c *Call) (any, error) {
			var n float64
			if err := c.Params(&n); err != nil {
				return nil, err
			}
			if err := c.Head(200, "OK", [][2]string{{"content-type", "text/plain"}}); err != nil {
				return nil, err
			}
			_, err := io.Copy(c.Output("body"), c.Input())
			return 2 * n, err
		}})
	})
	if err != nil {
		t.Fatal(err)
	}
	big := strings.Repeat("0123456789abcdef", 4*Window/16)
	for _, m := range []map[string]any{
		{"type": "call", "id": 7, "method": "double", "params": 21},
		{"type": "nonsense", "id": 7},
		{"type": "data", "id": 7, "chunk": []byte(big)},
		{"type": "end", "id": 7},
	} {
		if err := page.Post(m); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case v := <-value:
		if v != 42 {
			t.Errorf("result %v", v)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("no result; messages: ", types)
	}
	if body.String() != big {
		t.Errorf("%d bytes came back of %d", body.Len(), len(big))
	}
	if types[0] != "head" || types[len(types)-1] != "result" {
		t.Errorf("order: %v", types)
	}
}
