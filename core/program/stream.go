package program

import (
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"syscall"
)

// stream is a standard stream opened by a name such as /dev/stdout. Closing it leaves the
// process's own stream open.
type stream struct {
	io.Reader
	io.Writer
	name string
}

var _ File = (*stream)(nil)

func (s *stream) Name() string                   { return s.name }
func (s *stream) Close() error                   { return nil }
func (s *stream) Seek(int64, int) (int64, error) { return 0, syscall.ESPIPE }
func (s *stream) Stat() (fs.FileInfo, error)     { return deviceInfo(path.Base(s.name)), nil }

// absent is the side of a stream that is not there.
type absent struct{}

func (absent) Read([]byte) (int, error)  { return 0, syscall.EBADF }
func (absent) Write([]byte) (int, error) { return 0, syscall.EBADF }

// streamName reads a path that stands for file descriptor fd of process pid, "self" for the
// process that asks.
func streamName(name string) (pid string, fd int, ok bool) {
	switch name {
	case "/dev/stdin":
		return "self", 0, true
	case "/dev/stdout":
		return "self", 1, true
	case "/dev/stderr":
		return "self", 2, true
	}
	number, ok := strings.CutPrefix(name, "/dev/fd/")
	pid = "self"
	if proc, isProc := strings.CutPrefix(name, "/proc/"); isProc {
		pid, number, ok = strings.Cut(proc, "/fd/")
	}
	fd, err := strconv.Atoi(number)
	return pid, fd, ok && err == nil
}

// stream gives the standard stream that the absolute path name stands for.
func (p *Process) stream(name string) (*stream, bool) {
	if (name == "/dev/tty" || name == "/dev/console") && p.Terminal != nil {
		return &stream{Reader: p.Stdin, Writer: p.Stdout}, true
	}
	pid, fd, ok := streamName(name)
	if !ok {
		return nil, false
	}
	owner := p
	if pid != "self" {
		number, err := strconv.Atoi(pid)
		if err != nil || p.Table == nil {
			return nil, false
		}
		if owner, ok = p.Table.process(number); !ok {
			return nil, false
		}
	}
	s := &stream{Reader: absent{}, Writer: absent{}}
	switch {
	case fd == 0 && owner.Stdin != nil:
		s.Reader = owner.Stdin
	case fd == 1 && owner.Stdout != nil:
		s.Writer = owner.Stdout
	case fd == 2 && owner.Stderr != nil:
		s.Writer = owner.Stderr
	default:
		return nil, false
	}
	return s, true
}
