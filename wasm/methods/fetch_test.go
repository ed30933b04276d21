package methods

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/wasm/port"
)

// wire keeps what is posted, and acknowledges data as the page's client does.
type wire struct {
	mu     sync.Mutex
	posted []port.Out
	notify chan struct{}
	server *port.Server
}

func (w *wire) Post(o port.Out) error {
	w.mu.Lock()
	w.posted = append(w.posted, o)
	w.mu.Unlock()
	select {
	case w.notify <- struct{}{}:
	default:
	}
	return nil
}

// until returns the first message that f accepts.
func (w *wire) until(t *testing.T, f func(port.Out) bool) port.Out {
	t.Helper()
	deadline := time.After(10 * time.Second)
	for {
		w.mu.Lock()
		for _, o := range w.posted {
			if f(o) {
				w.mu.Unlock()
				return o
			}
		}
		w.mu.Unlock()
		select {
		case <-w.notify:
		case <-deadline:
			t.Fatalf("not among %v", w.posted)
		}
	}
}

func (w *wire) body() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var b strings.Builder
	for _, o := range w.posted {
		if o["type"] == "data" {
			b.Write(o["chunk"].([]byte))
		}
	}
	return b.String()
}

func ofType(types ...string) func(port.Out) bool {
	return func(o port.Out) bool {
		for _, t := range types {
			if o["type"] == t {
				return true
			}
		}
		return false
	}
}

// serve starts a server whose fetch goes to h, and calls it.
func serve(t *testing.T, h http.HandlerFunc, params fetchParams) *wire {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	w := &wire{notify: make(chan struct{}, 1)}
	w.server = port.NewServer(t.Context(), w, map[string]port.Handler{
		"fetch": Fetch(func(context.Context) (*API, error) {
			return &API{Server: s.URL, Transport: http.DefaultTransport}, nil
		}),
	})
	p, err := json.Marshal(params)
	if err != nil {
		t.Fatal(err)
	}
	w.server.Receive(port.In{Type: "call", ID: 1, Method: "fetch", Params: p})
	return w
}

func TestFetchSendsAndReceivesBodies(t *testing.T) {
	w := serve(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		w.Header().Add("X-Two", "1")
		w.Header().Add("X-Two", "2")
		w.WriteHeader(http.StatusCreated)
		io.WriteString(w, r.Method+" "+r.URL.String()+" "+r.Header.Get("Accept")+" "+string(b))
	}, fetchParams{Method: "POST", Path: "/api/v1/x?dryRun=All", Headers: [][2]string{{"Accept", "application/json"}}, Body: true})
	w.server.Receive(port.In{Type: "data", ID: 1, Chunk: []byte("half and ")})
	w.server.Receive(port.In{Type: "data", ID: 1, Chunk: []byte("half")})
	w.server.Receive(port.In{Type: "end", ID: 1})
	w.until(t, ofType("result"))
	head := w.until(t, ofType("head"))
	if head["status"] != 201 || head["statusText"] != "Created" {
		t.Errorf("head %v", head)
	}
	two := 0
	for _, h := range head["headers"].([][2]string) {
		if h[0] == "x-two" {
			two++
		}
	}
	if two != 2 {
		t.Errorf("headers %v", head["headers"])
	}
	if got := w.body(); got != "POST /api/v1/x?dryRun=All application/json half and half" {
		t.Errorf("body %q", got)
	}
}

func TestFetchOfAWatchStreamsAndIsCancelled(t *testing.T) {
	gone := make(chan struct{})
	w := serve(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "first\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(gone)
	}, fetchParams{Method: "GET", Path: "/watch"})
	w.until(t, ofType("data"))
	if got := w.body(); got != "first\n" {
		t.Errorf("while the watch goes on: %q", got)
	}
	w.server.Receive(port.In{Type: "cancel", ID: 1})
	answer := w.until(t, ofType("result", "error"))
	if answer["type"] != "error" {
		t.Errorf("a cancelled call ended with %v", answer)
	}
	<-gone
}

func TestFetchFailsWithWords(t *testing.T) {
	w := serve(t, func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) }, fetchParams{Method: "GET", Path: "/x"})
	answer := w.until(t, ofType("error"))
	if m := answer["error"].(map[string]any)["message"].(string); !strings.HasPrefix(m, "fetch GET /x: ") {
		t.Errorf("message %q", m)
	}
	w = serve(t, nil, fetchParams{Method: "GET", Path: "no-slash"})
	answer = w.until(t, ofType("error"))
	if m := answer["error"].(map[string]any)["message"].(string); !strings.Contains(m, "begins with /") {
		t.Errorf("message %q", m)
	}
}

func TestOffsets(t *testing.T) {
	for _, c := range []struct {
		s            string
		units, bytes int
	}{
		{"kubectl get", 4, 4}, {"é get", 2, 3}, {"𝔸b", 2, 4}, {"𝔸b", 3, 5}, {"", 0, 0}, {"a", 1, 1},
	} {
		if got := byteOffset(c.s, c.units); got != c.bytes {
			t.Errorf("byteOffset(%q, %d) = %d, want %d", c.s, c.units, got, c.bytes)
		}
		if got := utf16Offset(c.s, c.bytes); got != c.units {
			t.Errorf("utf16Offset(%q, %d) = %d, want %d", c.s, c.bytes, got, c.units)
		}
	}
	if got := byteOffset("ab", 99); got != 2 {
		t.Errorf("beyond the end: %d", got)
	}
}
