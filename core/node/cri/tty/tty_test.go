package tty

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/program"
)

type fixture struct {
	*TTY
	screen  bytes.Buffer
	signals []program.Signal
}

func newTTY() *fixture {
	f := &fixture{}
	f.TTY = New(&f.screen, func(s program.Signal) { f.signals = append(f.signals, s) })
	return f
}

// reads gives what is there to read, one Read each; EOF as "EOF".
func (f *fixture) reads(size int) []string {
	f.Hangup()
	var got []string
	buf := make([]byte, size)
	for range 20 {
		n, err := f.Read(buf)
		if n > 0 {
			got = append(got, string(buf[:n]))
		}
		if errors.Is(err, io.EOF) {
			got = append(got, "EOF")
			f.mu.Lock()
			end := len(f.ends) == 0 && len(f.ready) == 0
			f.mu.Unlock()
			if end {
				break
			}
		}
	}
	return got
}

func TestCookedInput(t *testing.T) {
	for _, c := range []struct {
		name, keys, echo string
		reads            []string
		signals          []program.Signal
	}{
		{"a line", "ls\r", "ls\r\n", []string{"ls\n", "EOF"}, nil},
		{"two lines are two reads", "a\rb\n", "a\r\nb\r\n", []string{"a\n", "b\n", "EOF"}, nil},
		{"an unfinished line is not readable", "abc", "abc", []string{"EOF"}, nil},
		{"erase", "ab\x7f\x08\x08c\r", "ab\b \b\b \bc\r\n", []string{"c\n", "EOF"}, nil},
		{"erase a character of two bytes", "é\x7fe\r", "é\b \be\r\n", []string{"e\n", "EOF"}, nil},
		{"erase a control character", "\x01\x7fx\r", "^A\b \b\b \bx\r\n", []string{"x\n", "EOF"}, nil},
		{"kill the line", "abc\x15d\r", "abc\b \b\b \b\b \bd\r\n", []string{"d\n", "EOF"}, nil},
		{"erase a word", "ls -l  \x17x\r", "ls -l  \b \b\b \b\b \b\b \bx\r\n", []string{"ls x\n", "EOF"}, nil},
		{"interrupt drops the line", "rm -rf\x03ls\r", "rm -rf^Cls\r\n", []string{"ls\n", "EOF"}, []program.Signal{program.SIGINT}},
		{"quit", "\x1c", "^\\", []string{"EOF"}, []program.Signal{program.SIGQUIT}},
		{"end of file", "\x04", "", []string{"EOF"}, nil},
		{"end of file, then more", "a\r\x04b\r", "a\r\nb\r\n", []string{"a\n", "EOF", "b\n", "EOF"}, nil},
		{"end of file within a line makes it readable", "ab\x04", "ab", []string{"ab", "EOF"}, nil},
		{"tab", "a\tb\r", "a\tb\r\n", []string{"a\tb\n", "EOF"}, nil},
	} {
		f := newTTY()
		f.Input([]byte(c.keys))
		if got := f.screen.String(); got != c.echo {
			t.Errorf("%s: echo %q, want %q", c.name, got, c.echo)
		}
		if got := f.reads(64); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", c.reads) {
			t.Errorf("%s: reads %q, want %q", c.name, got, c.reads)
		}
		if fmt.Sprint(f.signals) != fmt.Sprint(c.signals) {
			t.Errorf("%s: signals %v, want %v", c.name, f.signals, c.signals)
		}
	}
}

func TestKeysOneByOneAreTheSame(t *testing.T) {
	f := newTTY()
	for _, b := range []byte("hel\x7flo\r") {
		f.Input([]byte{b})
	}
	if got := f.reads(2); fmt.Sprintf("%q", got) != `["he" "lo" "\n" "EOF"]` {
		t.Errorf("reads of two bytes: %q", got)
	}
}

func TestRawInput(t *testing.T) {
	f := newTTY()
	f.Input([]byte("ha"))
	f.Raw(true)
	f.Input([]byte("\x03\x7f\r\x1b[A"))
	if got := f.reads(64); fmt.Sprintf("%q", got) != `["ha\x03\x7f\r\x1b[A" "EOF"]` {
		t.Errorf("reads %q", got)
	}
	if f.screen.String() != "ha" || f.signals != nil {
		t.Errorf("echo %q, signals %v", f.screen.String(), f.signals)
	}
}

func TestOutput(t *testing.T) {
	f := newTTY()
	fmt.Fprint(f, "a\nb\n")
	f.Raw(true)
	fmt.Fprint(f, "c\r\nd\n")
	f.Raw(false)
	if n, err := f.Write([]byte("e\n")); n != 2 || err != nil {
		t.Errorf("write: %d, %v", n, err)
	}
	if got := f.screen.String(); got != "a\r\nb\r\nc\r\nd\ne\r\n" {
		t.Errorf("%q", got)
	}
}

func TestReadWaits(t *testing.T) {
	f := newTTY()
	got := make(chan string)
	go func() {
		buf := make([]byte, 64)
		n, _ := f.Read(buf)
		got <- string(buf[:n])
	}()
	f.Input([]byte("late"))
	select {
	case s := <-got:
		t.Fatalf("read %q before the line ended", s)
	case <-time.After(10 * time.Millisecond):
	}
	f.Input([]byte("r\r"))
	if s := <-got; s != "later\n" {
		t.Errorf("read %q", s)
	}
}

func TestSize(t *testing.T) {
	f := newTTY()
	if c, r := f.Size(); c != 80 || r != 24 {
		t.Errorf("at first %dx%d", c, r)
	}
	f.SetSize(80, 24) // no change
	f.SetSize(0, 0)   // no size
	select {
	case <-f.Resized():
		t.Error("told of no change")
	default:
	}
	f.SetSize(100, 30)
	f.SetSize(120, 40) // nobody looked yet: once is enough
	<-f.Resized()
	if c, r := f.Size(); c != 120 || r != 40 {
		t.Errorf("%dx%d", c, r)
	}
	select {
	case <-f.Resized():
		t.Error("told twice")
	default:
	}
}
