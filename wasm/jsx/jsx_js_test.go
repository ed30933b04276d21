package jsx

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	// Its standard error is written at once; upstream's needs the event loop, which a callback
	// that logs keeps waiting.
	_ "github.com/tabernetes/tabernetes/wasm/memfs"
)

func eval(t *testing.T, code string) Value {
	t.Helper()
	f, err := Global("Function")
	if err != nil {
		t.Fatal(err)
	}
	made, err := f.New("return " + code)
	if err != nil {
		t.Fatal(err)
	}
	v, err := made.Invoke()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestAwait(t *testing.T) {
	v, err := Await(t.Context(), eval(t, "new Promise(r => setTimeout(() => r(42), 5))"))
	if n, _ := v.Int(); n != 42 || err != nil {
		t.Errorf("%v, %v", n, err)
	}
	if _, err := Await(t.Context(), eval(t, "Promise.reject(new Error('no'))")); err == nil || err.Error() != "no" {
		t.Errorf("a rejection gave %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := Await(ctx, eval(t, "new Promise(r => setTimeout(r, 50))")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a slow promise gave %v", err)
	}
	time.Sleep(100 * time.Millisecond)
	if r := Retained(); len(r) != 0 {
		t.Errorf("still held: %v", r)
	}
}

func TestValuesThereAndBack(t *testing.T) {
	v, buffers, err := ToJS(map[string]any{
		"text": "é", "n": 1.5, "yes": true, "none": nil, "bytes": []byte{1, 2, 255},
		"list": []any{1, "two"}, "pairs": [][2]string{{"a", "b"}},
	})
	if err != nil || len(buffers) != 1 {
		t.Fatal(buffers, err)
	}
	b, err := Field(v, "bytes")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Bytes(b); err != nil || !reflect.DeepEqual(got, []byte{1, 2, 255}) {
		t.Errorf("bytes %v, %v", got, err)
	}
	if err := v.Delete("bytes"); err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := Unmarshal(v, &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"text": "é", "n": 1.5, "yes": true, "none": nil, "list": []any{1.0, "two"}, "pairs": []any{[]any{"a", "b"}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestErrorsInsteadOfPanics(t *testing.T) {
	if _, err := Global("noSuchThing"); err == nil || !strings.Contains(err.Error(), "noSuchThing") {
		t.Errorf("got %v", err)
	}
	if _, err := eval(t, "({f() { throw new TypeError('bad') }})").Call("f"); err == nil || !strings.Contains(err.Error(), "bad") {
		t.Errorf("got %v", err)
	}
	c, err := NewCallback("test", func([]Value) { panic("inside") })
	if err != nil {
		t.Fatal(err)
	}
	defer c.Release()
	if _, err := c.Value().Invoke(); err != nil { // logged, and no more
		t.Errorf("got %v", err)
	}
}

// Messages arrive while goroutines keep the program busy, and only because of Turns.
func TestTurns(t *testing.T) {
	arrived := false
	// busy keeps a goroutine running for d, or until the message has arrived.
	busy := func(d time.Duration) {
		ping := make(chan struct{})
		go func() {
			for range ping {
			}
		}()
		for end := time.Now().Add(d); !arrived && time.Now().Before(end); {
			ping <- struct{}{}
		}
		close(ping)
	}
	near, far, err := Channel()
	if err != nil {
		t.Fatal(err)
	}
	port, err := NewMessagePort("test", near, func(Value) { arrived = true })
	if err != nil {
		t.Fatal(err)
	}
	defer port.Close()
	send := func() {
		arrived = false
		if _, err := far.Call("postMessage", 1); err != nil {
			t.Fatal(err)
		}
	}
	send()
	busy(200 * time.Millisecond)
	if arrived {
		t.Error("without turns a message arrived while a goroutine was busy: Turns is not needed any more")
	}
	time.Sleep(20 * time.Millisecond)

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	turns, err := NewTurns(ctx)
	if err != nil {
		t.Fatal(err)
	}
	go turns.Give(ctx, 10*time.Millisecond)
	time.Sleep(time.Millisecond)
	for range 10 {
		send()
		// However busy the machine is: without a turn it would not come at all.
		busy(20 * time.Second)
		if !arrived {
			t.Fatal("with turns no message arrived while a goroutine was busy")
		}
	}
}
