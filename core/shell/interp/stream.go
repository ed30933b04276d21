package interp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"syscall"

	"github.com/tabernetes/tabernetes/core/program"
)

// maxFD is the number of file descriptors that a redirection can name: 0 to 9.
const maxFD = 10

// stream is what a file descriptor stands for. The zero value is a closed one.
type stream struct {
	in     *program.Input // standard input as the shell was given it; read cancellably
	r      io.Reader
	w      io.Writer
	handle *handle // to be closed after its last user; nil for what is not the shell's own
}

// handle counts the users of an open file: the shell, and jobs in the background.
type handle struct {
	io.Closer
	users atomic.Int32
}

func newHandle(c io.Closer) *handle {
	h := &handle{Closer: c}
	h.users.Store(1)
	return h
}

func (st stream) retain() {
	if st.handle != nil {
		st.handle.users.Add(1)
	}
}

func (st stream) release() {
	if st.handle != nil && st.handle.users.Add(-1) == 0 {
		_ = st.handle.Close()
	}
}

func inputStream(r io.Reader) stream {
	if r == nil {
		return stream{r: bytes.NewReader(nil)}
	}
	return stream{in: program.NewInput(r)}
}

func outputStream(w io.Writer) stream {
	if w == nil {
		w = io.Discard
	}
	return stream{w: w}
}

func fileStream(f program.File) stream { return stream{r: f, w: f, handle: newHandle(f)} }

// reader is the input side, whose reads end when ctx is done.
func (st stream) reader(ctx context.Context) io.Reader {
	switch {
	case st.in != nil:
		return st.in.Reader(ctx)
	case st.r != nil:
		return st.r
	}
	return closed{}
}

func (st stream) writer() io.Writer {
	if st.w == nil {
		return closed{}
	}
	return st.w
}

// closed is a file descriptor that is not open for what is asked of it.
type closed struct{}

func (closed) Read([]byte) (int, error)  { return 0, syscall.EBADF }
func (closed) Write([]byte) (int, error) { return 0, syscall.EBADF }

func (s *Shell) stderr() io.Writer { return s.fds[2].writer() }

// printf writes to standard output as a builtin does. A pipe that nobody reads ends the
// shell, as SIGPIPE would.
func (s *Shell) printf(format string, args ...any) { s.print(fmt.Sprintf(format, args...)) }

func (s *Shell) print(text string) {
	_, err := io.WriteString(s.fds[1].writer(), text)
	switch {
	case errors.Is(err, syscall.EPIPE):
		s.status, s.exiting = 128+int(program.SIGPIPE), true
	case err != nil && s.ctx.Err() == nil:
		s.fail(1, "write error: %s", reason(err))
	}
}

// process is p with the shell's present directory, environment and streams.
func (s *Shell) process(ctx context.Context) *program.Process {
	p := *s.p
	p.Dir = s.dir
	p.Stdin, p.Stdout, p.Stderr = s.fds[0].reader(ctx), s.fds[1].writer(), s.fds[2].writer()
	switch {
	case s.fds[1] != s.streams[1]:
		p.Console = nil
	case p.Terminal != nil:
		p.Console = &program.Console{Terminal: p.Terminal, Keys: s.streams[0].reader(ctx)}
	}
	if s.fds[0] != s.streams[0] || s.fds[1] != s.streams[1] {
		p.Terminal = nil
	}
	return &p
}

// reason is an error without the operation and the path, in libc's words.
func reason(err error) string { return program.Reason(err) }
