package goroutine

import (
	"bytes"
	"context"
	"runtime/pprof"
	"strings"
	"testing"
)

// TestLayout: this Go's labels are laid out as package goroutine reads them.
func TestLayout(t *testing.T) {
	if !sound {
		t.Fatal("runtime/pprof's labels have another layout than set: see internal/runtime/pprof/label")
	}
}

func TestMarksAreInheritedAndMerged(t *testing.T) {
	pprof.Do(t.Context(), pprof.Labels("m", "theirs"), func(context.Context) {
		defer Mark("z", "1")()
		unmark := Mark("a", "2")
		values := func() string { return Value("a") + Value("m") + Value("z") + Value("none") }
		if got := values(); got != "2theirs1" {
			t.Errorf("got %q", got)
		}
		got := make(chan string)
		go func() {
			Mark("m", "mine") // of a goroutine that ends: nobody else sees it
			go func() { got <- values() }()
		}()
		if v := <-got; v != "2mine1" {
			t.Errorf("a goroutine inherited %q", v)
		}
		unmark()
		if got := values(); got != "theirs1" {
			t.Errorf("after unmark: %q", got)
		}
		Mark("z", "")()
		if got := values(); got != "theirs1" {
			t.Errorf("after a mark that was taken away and put back: %q", got)
		}
	})
}

// TestProfileShowsMarks: runtime/pprof reads what was put as its own.
func TestProfileShowsMarks(t *testing.T) {
	defer Mark("cause", "its-value")()
	var b bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&b, 1); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), `{"cause":"its-value"}`) {
		t.Errorf("the profile has no such label:\n%s", b.String())
	}
}

func BenchmarkMark(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Mark("cause", "12345678")()
	}
}

func BenchmarkValue(b *testing.B) {
	defer Mark("cause", "1")()
	for b.Loop() {
		Value("cause")
	}
}
