package cri

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/tabernetes/tabernetes/core/program"
)

// maxLogLine is how much of a line goes into one entry, in bytes; containerd's default
// (max_container_log_line_size).
const maxLogLine = 16 << 10

// timeFormat is RFC 3339 with all nine digits of the nanoseconds, so that columns align.
const timeFormat = "2006-01-02T15:04:05.000000000Z07:00"

// logFile is a container's log in the CRI's format, one entry a line:
//
//	2016-10-06T00:17:09.669794202Z stdout P the beginning of a long
//	2016-10-06T00:17:09.669794203Z stdout F  line
//
// (the tag P is a part, F the full line or its end; upstream reads it in
// k8s.io/cri-client/pkg/logs).
type logFile struct {
	path string       // "" for no log
	disk program.Disk // nil for one without an end

	mu       sync.Mutex
	rotated  sync.Cond // or hurried, or closed
	file     *os.File
	size     int64
	hurrying bool
	closed   bool
}

// maxUnrotated is how large a log may grow before who writes to it waits for the kubelet to
// rotate it, in bytes: twice its containerLogMaxSize. The kubelet looks every 10 s, in which a
// program could write any amount.
const maxUnrotated = 20 << 20

func newLogFile(path string, disk program.Disk) *logFile {
	l := &logFile{path: path, disk: disk}
	l.rotated.L = &l.mu
	return l
}

// hurry lets nobody wait for a rotation any more: the container ends.
func (l *logFile) hurry() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hurrying = true
	l.rotated.Broadcast()
}

// open makes the file and the directories above it. A file that is there is appended to.
func (l *logFile) open() error {
	if l.path == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(l.path), 0o755); err != nil {
		return fmt.Errorf("create container log directory: %w", err)
	}
	f, err := os.OpenFile(l.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o640)
	if err != nil {
		return fmt.Errorf("create container log: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return f.Close()
	}
	if l.file != nil {
		_ = l.file.Close() // was rotated away; each write had its own error
	}
	l.file, l.size = f, 0
	if info, err := f.Stat(); err == nil {
		l.size = info.Size()
	}
	l.rotated.Broadcast()
	return nil
}

func (l *logFile) write(entries []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.size >= maxUnrotated && !l.hurrying {
		l.rotated.Wait()
	}
	if l.file == nil {
		return nil
	}
	if l.disk != nil {
		if err := l.disk.Reserve(int64(len(entries)), 0); err != nil {
			return err // the entries are lost, as on any full disk
		}
	}
	n, err := l.file.Write(entries)
	l.size += int64(n)
	return err
}

func (l *logFile) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	if l.file != nil {
		_ = l.file.Close()
		l.file = nil
	}
}

// logStream cuts one stream into entries. A line stays in memory until it ends or is too long.
type logStream struct {
	log    *logFile
	stream runtimeapi.LogStreamType

	mu     sync.Mutex
	line   []byte
	closed bool
}

// Write implements io.Writer. An error is the file's; the program is not to blame for it.
func (s *logStream) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return 0, os.ErrClosed
	}
	var entries []byte
	now := time.Now().UTC()
	rest := p
	for len(rest) > 0 {
		i := bytes.IndexByte(rest, '\n')
		full := i >= 0 && len(s.line)+i <= maxLogLine
		take := i
		if !full {
			take = min(len(rest), maxLogLine-len(s.line))
		}
		s.line = append(s.line, rest[:take]...)
		rest = rest[take:]
		switch {
		case full:
			rest = rest[1:]
			entries = s.entry(entries, now, runtimeapi.LogTagFull)
		case len(s.line) == maxLogLine && len(rest) > 0:
			entries = s.entry(entries, now, runtimeapi.LogTagPartial)
		}
	}
	if len(entries) == 0 {
		return len(p), nil
	}
	if err := s.log.write(entries); err != nil {
		return 0, err
	}
	return len(p), nil
}

// close writes what is left of a line, as a part.
func (s *logStream) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed && len(s.line) > 0 {
		_ = s.log.write(s.entry(nil, time.Now().UTC(), runtimeapi.LogTagPartial))
	}
	s.closed = true
}

// entry appends the line as one entry and begins the next. The caller holds s.mu.
func (s *logStream) entry(to []byte, now time.Time, tag runtimeapi.LogTag) []byte {
	to = now.AppendFormat(to, timeFormat)
	to = append(to, ' ')
	to = append(to, s.stream...)
	to = append(to, ' ')
	to = append(to, tag...)
	to = append(to, ' ')
	to = append(to, s.line...)
	to = append(to, '\n')
	s.line = s.line[:0]
	return to
}
