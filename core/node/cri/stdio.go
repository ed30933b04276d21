package cri

import (
	"bytes"
	"io"
	"os"
	"strings"
	"sync"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/tabernetes/tabernetes/core/node/cri/tty"
	"github.com/tabernetes/tabernetes/core/program"
)

// stdio is where a container's first process reads and writes: its log, and whoever is
// attached.
type stdio struct {
	log            *logFile
	stdout, stderr *fanOut
	logOut, logErr *logStream
	input          *io.PipeWriter // nil unless the container has an open stdin
	stdin          io.Reader
	terminal       *tty.TTY // nil unless the container has one
}

func newStdio(c *container, disk program.Disk) *stdio {
	s := &stdio{log: newLogFile(c.logPath, disk)}
	s.logOut = &logStream{log: s.log, stream: runtimeapi.Stdout}
	s.logErr = &logStream{log: s.log, stream: runtimeapi.Stderr}
	s.stdout, s.stderr = newFanOut(s.logOut), newFanOut(s.logErr)
	s.stdin = strings.NewReader("")
	if c.config.GetStdin() {
		s.stdin, s.input = io.Pipe()
	}
	if c.config.GetTty() {
		s.terminal = tty.New(s.stdout, func(sig program.Signal) {
			select {
			case c.signals <- sig:
			default:
			}
		})
		if s.input == nil {
			s.terminal.Hangup()
		}
	}
	return s
}

// process gives p its streams.
func (s *stdio) process(p *program.Process) {
	if s.terminal != nil {
		p.Stdin, p.Stdout, p.Stderr, p.Terminal = s.terminal, s.terminal, s.terminal, s.terminal
		return
	}
	p.Stdin, p.Stdout, p.Stderr = s.stdin, s.stdout, s.stderr
}

// takeInput gives the process what an attached client sends; once closes the process's stdin
// with the client's.
func (s *stdio) takeInput(in io.Reader, once bool) {
	if s.terminal != nil {
		feed(s.terminal, in)
		if once {
			s.terminal.Hangup()
		}
		return
	}
	_, _ = io.Copy(s.input, in) // the client went or the process has ended: both are an end
	if once {
		_ = s.input.Close()
	}
}

// close ends all streams: what is attached sees their end, the process os.ErrClosed.
func (s *stdio) close() {
	s.log.hurry()
	s.logOut.close()
	s.logErr.close()
	s.log.close()
	s.stdout.close()
	s.stderr.close()
	s.hangUp()
}

// hangUp ends what the process waits for: its input, and its log's next file. It may be repeated.
func (s *stdio) hangUp() {
	s.log.hurry()
	if s.input != nil {
		_ = s.input.Close()
	}
	if s.terminal != nil {
		s.terminal.Hangup()
	}
}

// fanOut writes to the log and to all that are attached. One that fails is dropped; one that
// is slow makes the process wait when its queue is full, as a pipe does.
type fanOut struct {
	log     io.Writer
	closing chan struct{} // closed before mu is taken for closing: frees a writer that waits

	mu       sync.Mutex
	attached map[*attachment]struct{}
	closed   bool
}

// attachQueue is how many writes an attached client may be behind.
const attachQueue = 64

// attachment is one that is attached.
type attachment struct {
	queue  chan []byte
	failed chan struct{} // closed when writing to it failed
	done   chan struct{} // closed when nothing more will be written to it
}

func newFanOut(log io.Writer) *fanOut {
	return &fanOut{log: log, closing: make(chan struct{}), attached: map[*attachment]struct{}{}}
}

// Write implements io.Writer. A log that cannot be written stops nobody.
func (f *fanOut) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return 0, os.ErrClosed
	}
	_, _ = f.log.Write(p)
	for a := range f.attached {
		select {
		case a.queue <- bytes.Clone(p):
		case <-a.failed:
			f.drop(a)
		case <-f.closing:
		}
	}
	return len(p), nil
}

// attach adds w; nil is attached to nothing.
func (f *fanOut) attach(w io.Writer) *attachment {
	a := &attachment{queue: make(chan []byte, attachQueue), failed: make(chan struct{}), done: make(chan struct{})}
	if w == nil {
		close(a.done)
		return a
	}
	go a.serve(w)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		close(a.queue)
	} else {
		f.attached[a] = struct{}{}
	}
	return a
}

func (a *attachment) serve(w io.Writer) {
	defer close(a.done)
	for p := range a.queue {
		if _, err := w.Write(p); err != nil {
			close(a.failed)
			return
		}
	}
}

// detach takes a out.
func (f *fanOut) detach(a *attachment) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.drop(a)
}

// drop is detach for a caller that holds f.mu.
func (f *fanOut) drop(a *attachment) {
	if _, ok := f.attached[a]; ok {
		delete(f.attached, a)
		close(a.queue)
	}
}

// close ends all attachments, after what they were sent. It is called once.
func (f *fanOut) close() {
	close(f.closing)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	for a := range f.attached {
		f.drop(a)
	}
}
