package tunnel

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
)

// say sends raw to a hub that would take anyone, and returns what the hub thinks of it.
func say(raw []byte) (judged bool, answer []byte, err error) {
	tab, hub := net.Pipe()
	got := make(chan []byte, 1)
	go func() {
		go func() {
			tab.Write(raw)
			if len(raw) < 4 || len(raw)-4 < int(min(binary.BigEndian.Uint32(raw), maxHello)) {
				tab.Close() // what was announced will not come
			}
		}()
		b, _ := io.ReadAll(tab)
		got <- b
	}()
	_, _, err = Accept(context.Background(), hub, func(Hello) (Welcome, error) {
		judged = true
		return Welcome{Name: "x"}, nil
	})
	hub.Close()
	return judged, <-got, err
}

func message(text string) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(text))), text...)
}

func TestHostileHellos(t *testing.T) {
	good := `"instance":"AAAAAAAAAAAAAAAAAAAAAA"`
	for name, raw := range map[string][]byte{
		"nothing":            {},
		"half a length":      {0, 0},
		"length without end": {0xff, 0xff, 0xff, 0xff},
		"just too long":      binary.BigEndian.AppendUint32(nil, maxHello+1),
		"shorter than said":  append(binary.BigEndian.AppendUint32(nil, 100), "{}"...),
		"not JSON":           message("GET / HTTP/1.1\r\n\r\n"),
		"not an object":      message(`[1,2,3]`),
		"no version":         message(`{` + good + `}`),
		"from the future":    message(`{"version":99,"minVersion":98,` + good + `}`),
		"negative":           message(`{"version":-1,` + good + `}`),
		"no instance":        message(`{"version":1}`),
		"short instance":     message(`{"version":1,"instance":"guess"}`),
		"a path as a name":   message(`{"version":1,"name":"../x",` + good + `}`),
		"a host as a name":   message(`{"version":1,"name":"a.b",` + good + `}`),
		"a long name":        message(`{"version":1,"name":"` + strings.Repeat("a", 41) + `",` + good + `}`),
		"deeply nested":      message(strings.Repeat("[", maxHello)),
	} {
		t.Run(name, func(t *testing.T) {
			judged, answer, err := say(raw)
			if err == nil || judged {
				t.Fatalf("it came through: judged %v, error %v", judged, err)
			}
			if _, refused := errors.AsType[*Refusal](err); refused && !bytes.Contains(answer, []byte("refusal")) {
				t.Errorf("the other side was not told: %q", answer)
			}
		})
	}
	if judged, answer, err := say(message(`{"version":7,"minVersion":1,"name":"tab-1","new":"field",` + good + `}`)); err != nil || !judged {
		t.Errorf("a newer one that speaks our version: %v, %q", err, answer)
	}
}

// What a judge's own error says stays at the hub.
func TestInnerErrorsAreNotTold(t *testing.T) {
	tab, hub := net.Pipe()
	defer tab.Close()
	go func() {
		Accept(context.Background(), hub, func(Hello) (Welcome, error) {
			return Welcome{}, errors.New("open /var/secret: permission denied")
		})
	}()
	_, err := greet(t.Context(), tab, Hello{Instance: testInstance})
	if r, ok := errors.AsType[*Refusal](err); !ok || strings.Contains(r.Reason, "secret") {
		t.Errorf("%v", err)
	}
}

func TestHelloEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	tab, hub := net.Pipe()
	defer tab.Close()
	if _, _, err := Accept(ctx, hub, nil); err == nil {
		t.Error("a hello came out of nothing")
	}
}

func FuzzHello(f *testing.F) {
	f.Add(message(`{"version":1,"minVersion":1,"name":"tab","instance":"AAAAAAAAAAAAAAAAAAAAAA","secret":"s"}`))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, raw []byte) {
		r := bytes.NewReader(raw)
		var h Hello
		if err := readMessage(r, &h, maxHello); err != nil {
			return
		}
		if _, err := h.check(); err == nil && h.Name != "" && !ValidName(h.Name) {
			t.Errorf("the name %q was taken", h.Name)
		}
		if took := len(raw) - r.Len(); took > 4+maxHello {
			t.Errorf("%d bytes were read", took)
		}
	})
}

func FuzzHeader(f *testing.F) {
	f.Add([]byte{1, 0, 3, 'a', 'b', 'c', 'd'})
	f.Add([]byte{2, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, raw []byte) {
		r := bytes.NewReader(raw)
		h, err := readHeader(r)
		if err != nil {
			return
		}
		var again bytes.Buffer
		if err := h.write(&again); err != nil {
			t.Fatal(err)
		}
		if took := raw[:len(raw)-r.Len()]; !bytes.Equal(took, again.Bytes()) {
			t.Errorf("% x was read, % x is written", took, again.Bytes())
		}
	})
}

func FuzzVerdict(f *testing.F) {
	f.Add([]byte{0})
	f.Add(append([]byte{1}, message(`"no"`)...))
	f.Fuzz(func(t *testing.T, raw []byte) {
		r := bytes.NewReader(raw)
		if err := readVerdict(r); err == nil && raw[0] != verdictTaken {
			t.Errorf("% x let a stream through", raw)
		}
	})
}

// yamux frames leave as one message each, whatever their number.
func TestGatherKeepsFramesTogether(t *testing.T) {
	var w recorded
	g := &gather{Conn: &w}
	data := func(n byte) []byte { return []byte{0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, n} }
	ping := []byte{0, 2, 0, 1, 0, 0, 0, 0, 0, 0, 0, 9}
	body := []byte{0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 5} // looks like a header
	for _, p := range [][]byte{data(12), body, ping, data(3), {7, 8, 9}, data(0)} {
		if n, err := g.Write(p); n != len(p) || err != nil {
			t.Fatalf("write: %d, %v", n, err)
		}
	}
	want := [][]byte{append(data(12), body...), ping, append(data(3), 7, 8, 9), data(0)}
	if len(w.messages) != len(want) {
		t.Fatalf("%d messages: % x", len(w.messages), w.messages)
	}
	for i := range want {
		if !bytes.Equal(w.messages[i], want[i]) {
			t.Errorf("message %d is % x, want % x", i, w.messages[i], want[i])
		}
	}
}

type recorded struct {
	net.Conn
	messages [][]byte
}

func (r *recorded) Write(p []byte) (int, error) {
	r.messages = append(r.messages, bytes.Clone(p))
	return len(p), nil
}
