package tty

import (
	"bytes"
	"io"
	"sync"
	"unicode/utf8"

	"github.com/tabernetes/tabernetes/core/program"
)

// The control characters of cooked mode.
const (
	ctrlC     = 0x03
	ctrlD     = 0x04
	ctrlU     = 0x15
	ctrlW     = 0x17
	ctrlQuit  = 0x1c
	backspace = 0x08
	delete    = 0x7f
)

// Defaults of the window, until the client tells its own.
const (
	defaultCols = 80
	defaultRows = 24
)

// TTY is one terminal. A client feeds Input and is given what the program Writes; the program
// Reads. Its methods may be called from any goroutine.
type TTY struct {
	signal  func(program.Signal)
	resized chan struct{}

	outMu sync.Mutex // serialises out; taken after mu, never before it
	out   io.Writer

	mu         sync.Mutex
	arrived    sync.Cond
	raw        bool
	cols, rows int
	line       []byte // being edited
	ready      []byte // for Read
	ends       []int  // lengths of ready at which Read ends (^D)
	hungUp     bool
}

var (
	_ program.Terminal = (*TTY)(nil)
	_ io.ReadWriter    = (*TTY)(nil)
)

// New returns a cooked terminal whose output goes to out. signal is told of ^C and ^\; it
// must not block.
func New(out io.Writer, signal func(program.Signal)) *TTY {
	t := &TTY{out: out, signal: signal, resized: make(chan struct{}, 1), cols: defaultCols, rows: defaultRows}
	t.arrived.L = &t.mu
	return t
}

// Size is the window in character cells.
func (t *TTY) Size() (cols, rows int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.cols, t.rows
}

// SetSize changes the window.
func (t *TTY) SetSize(cols, rows int) {
	t.mu.Lock()
	changed := cols > 0 && rows > 0 && (cols != t.cols || rows != t.rows)
	if changed {
		t.cols, t.rows = cols, rows
	}
	t.mu.Unlock()
	if !changed {
		return
	}
	select {
	case t.resized <- struct{}{}:
	default:
	}
}

// Resized is signalled after the window changed.
func (t *TTY) Resized() <-chan struct{} { return t.resized }

// Raw switches between keystrokes and edited lines. What was typed of a line becomes
// readable at once when raw mode begins.
func (t *TTY) Raw(on bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.raw = on
	if on && len(t.line) > 0 {
		t.ready = append(t.ready, t.line...)
		t.line = nil
		t.arrived.Broadcast()
	}
}

// Hangup ends the input: what is readable stays so, then Read gives io.EOF.
func (t *TTY) Hangup() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.hungUp = true
	t.arrived.Broadcast()
}

// Read gives what was typed: in cooked mode whole lines. ^D at the beginning of a line is
// one io.EOF, after which reading may go on.
func (t *TTY) Read(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for {
		avail := len(t.ready)
		if len(t.ends) > 0 {
			avail = t.ends[0]
			if avail == 0 {
				t.ends = t.ends[1:]
				return 0, io.EOF
			}
		}
		if avail > 0 {
			if i := bytes.IndexByte(t.ready[:avail], '\n'); i >= 0 && !t.raw {
				avail = i + 1 // one line at a time
			}
			n := copy(p, t.ready[:avail])
			t.ready = t.ready[n:]
			for i := range t.ends {
				t.ends[i] -= n
			}
			return n, nil
		}
		if t.hungUp {
			return 0, io.EOF
		}
		t.arrived.Wait()
	}
}

// Write is the program's output; in cooked mode a line feed becomes carriage return and
// line feed.
func (t *TTY) Write(p []byte) (int, error) {
	t.mu.Lock()
	raw := t.raw
	t.mu.Unlock()
	out := p
	if !raw && bytes.IndexByte(p, '\n') >= 0 {
		out = bytes.ReplaceAll(p, []byte("\n"), []byte("\r\n"))
	}
	t.outMu.Lock()
	defer t.outMu.Unlock()
	if _, err := t.out.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Input takes keystrokes.
func (t *TTY) Input(keys []byte) {
	t.mu.Lock()
	var echo []byte
	var signals []program.Signal
	if t.raw {
		t.ready = append(t.ready, keys...)
	} else {
		for _, b := range keys {
			echo, signals = t.cook(b, echo, signals)
		}
	}
	t.arrived.Broadcast()
	t.mu.Unlock()
	if len(echo) > 0 {
		t.outMu.Lock()
		_, _ = t.out.Write(echo) // a client that went away hangs up by itself
		t.outMu.Unlock()
	}
	for _, s := range signals {
		t.signal(s)
	}
}

// cook takes one byte of cooked input. The caller holds t.mu.
func (t *TTY) cook(b byte, echo []byte, signals []program.Signal) ([]byte, []program.Signal) {
	switch b {
	case '\r', '\n':
		t.ready = append(append(t.ready, t.line...), '\n')
		t.line = nil
		echo = append(echo, '\r', '\n')
	case ctrlC, ctrlQuit:
		t.line = nil
		echo = append(echo, '^', b+'@')
		sig := program.SIGINT
		if b == ctrlQuit {
			sig = program.SIGQUIT
		}
		signals = append(signals, sig)
	case ctrlD:
		if len(t.line) == 0 {
			t.ends = append(t.ends, len(t.ready))
		} else {
			t.ready = append(t.ready, t.line...)
			t.line = nil
		}
	case backspace, delete:
		echo = t.erase(echo)
	case ctrlU:
		for len(t.line) > 0 {
			echo = t.erase(echo)
		}
	case ctrlW:
		for len(t.line) > 0 && t.line[len(t.line)-1] == ' ' {
			echo = t.erase(echo)
		}
		for len(t.line) > 0 && t.line[len(t.line)-1] != ' ' {
			echo = t.erase(echo)
		}
	default:
		t.line = append(t.line, b)
		if b < 0x20 && b != '\t' {
			echo = append(echo, '^', b+'@')
		} else {
			echo = append(echo, b)
		}
	}
	return echo, signals
}

// erase takes the last character off the line. The caller holds t.mu.
func (t *TTY) erase(echo []byte) []byte {
	if len(t.line) == 0 {
		return echo
	}
	r, n := utf8.DecodeLastRune(t.line)
	t.line = t.line[:len(t.line)-n]
	echo = append(echo, "\b \b"...)
	if r < 0x20 && r != '\t' {
		echo = append(echo, "\b \b"...) // was echoed as ^X
	}
	return echo
}
