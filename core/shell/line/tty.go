package line

import (
	"bytes"
	"context"
	"io"
	"sync"
	"unicode/utf8"

	"github.com/tabernetes/tabernetes/core/program"
)

// TTY is the line discipline between a terminal emulator and programs: echo, erase, whole
// lines, ctrl-c and ctrl-d, until a program asks for raw keys; line ends on output.
type TTY struct {
	out io.Writer

	mu      sync.Mutex
	raw     bool
	size    [2]int
	line    []byte        // being edited
	ready   []byte        // to be read
	eof     int           // how many ends of file wait behind ready
	err     error         // of the emulator's side
	arrived chan struct{} // closed and replaced when something can be read

	resized chan struct{}
	signals chan program.Signal
}

var (
	_ program.Terminal = (*TTY)(nil)
	_ io.ReadWriter    = (*TTY)(nil)
)

// NewTTY returns a TTY that reads keystrokes from in until it ends or ctx is done, and writes
// to out. Its size is in cells.
func NewTTY(ctx context.Context, in io.Reader, out io.Writer, cols, rows int) *TTY {
	t := &TTY{
		out: out, size: [2]int{cols, rows}, arrived: make(chan struct{}),
		resized: make(chan struct{}, 1), signals: make(chan program.Signal, 8),
	}
	go t.pump(program.NewInput(in).Reader(ctx))
	return t
}

func (t *TTY) pump(in io.Reader) {
	buf := make([]byte, 4096)
	for {
		n, err := in.Read(buf)
		t.mu.Lock()
		for _, c := range buf[:n] {
			t.typed(c)
		}
		if err != nil {
			t.err = err
			t.ready = append(t.ready, t.line...)
			t.wake()
		}
		t.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// wake tells the readers; mu is held.
func (t *TTY) wake() {
	close(t.arrived)
	t.arrived = make(chan struct{})
}

// typed handles one byte from the emulator; mu is held.
func (t *TTY) typed(c byte) {
	if t.raw {
		t.ready = append(t.ready, c)
		t.wake()
		return
	}
	switch c {
	case 0x03, 0x1c:
		t.line = t.line[:0]
		if c == 0x03 {
			t.echo("^C\r\n")
			t.send(program.SIGINT)
		} else {
			t.echo("^\\\r\n")
			t.send(program.SIGQUIT)
		}
	case 0x04:
		if len(t.line) == 0 {
			t.eof++
		}
		t.flush()
	case '\r', '\n':
		t.echo("\r\n")
		t.line = append(t.line, '\n')
		t.flush()
	case 0x7f, '\b':
		if len(t.line) > 0 {
			_, size := utf8.DecodeLastRune(t.line)
			t.line = t.line[:len(t.line)-size]
			t.echo("\b \b")
		}
	case 0x15:
		for range utf8.RuneCount(t.line) {
			t.echo("\b \b")
		}
		t.line = t.line[:0]
	default:
		t.line = append(t.line, c)
		if c < ' ' && c != '\t' {
			t.echo("^" + string(rune(c+'@')))
		} else {
			_, _ = t.out.Write([]byte{c})
		}
	}
}

func (t *TTY) flush() {
	t.ready = append(t.ready, t.line...)
	t.line = t.line[:0]
	t.wake()
}

func (t *TTY) echo(text string) { _, _ = io.WriteString(t.out, text) }

func (t *TTY) send(s program.Signal) {
	select {
	case t.signals <- s:
	default:
	}
}

// Read gives whole lines, or keystrokes in raw mode.
func (t *TTY) Read(p []byte) (int, error) {
	for {
		t.mu.Lock()
		switch {
		case len(p) == 0:
			t.mu.Unlock()
			return 0, nil
		case len(t.ready) > 0:
			ready := t.ready
			if i := bytes.IndexByte(ready, '\n'); i >= 0 && !t.raw {
				ready = ready[:i+1] // a line at a time, as a kernel does
			}
			n := copy(p, ready)
			t.ready = t.ready[n:]
			t.mu.Unlock()
			return n, nil
		case t.eof > 0:
			t.eof--
			t.mu.Unlock()
			return 0, io.EOF
		case t.err != nil:
			t.mu.Unlock()
			return 0, t.err
		}
		arrived := t.arrived
		t.mu.Unlock()
		<-arrived
	}
}

// Write gives programs' output to the emulator, with each line end as the emulator wants it.
func (t *TTY) Write(p []byte) (int, error) {
	t.mu.Lock()
	raw := t.raw
	t.mu.Unlock()
	out := p
	if !raw {
		out = bytes.ReplaceAll(p, []byte("\n"), []byte("\r\n"))
	}
	if _, err := t.out.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Raw switches between keystrokes (true) and edited lines.
func (t *TTY) Raw(on bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.raw == on {
		return
	}
	t.raw = on
	if on && len(t.line) > 0 { // what was typed ahead
		t.flush()
	}
}

// Size is in cells.
func (t *TTY) Size() (cols, rows int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.size[0], t.size[1]
}

// Resize tells that the emulator changed its size.
func (t *TTY) Resize(cols, rows int) {
	t.mu.Lock()
	t.size = [2]int{cols, rows}
	t.mu.Unlock()
	select {
	case t.resized <- struct{}{}:
	default:
	}
}

// Resized is signalled after a Resize.
func (t *TTY) Resized() <-chan struct{} { return t.resized }

// Signals delivers what ctrl-c and ctrl-\ stand for.
func (t *TTY) Signals() <-chan program.Signal { return t.signals }
