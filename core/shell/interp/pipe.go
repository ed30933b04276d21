package interp

import (
	"context"
	"io"
	"sync"
	"syscall"
)

// pipeSize is how much a pipe holds before its writer waits, as on Linux.
const pipeSize = 64 << 10

// pipe is pipe(2) between two commands: bounded, its ends closed one by one.
type pipe struct {
	mu      sync.Mutex
	changed *sync.Cond
	buf     []byte
	noWrite bool  // the writing end is closed
	noRead  error // the reading end is closed, with what a write returns
}

// newPipe returns a pipe that breaks when ctx is done.
func newPipe(ctx context.Context) (p *pipe, stop func() bool) {
	p = &pipe{}
	p.changed = sync.NewCond(&p.mu)
	return p, context.AfterFunc(ctx, func() {
		p.closeRead(context.Cause(ctx))
		p.closeWrite()
	})
}

type pipeReader struct{ *pipe }
type pipeWriter struct{ *pipe }

func (r pipeReader) Close() error { r.closeRead(syscall.EPIPE); return nil }
func (w pipeWriter) Close() error { w.closeWrite(); return nil }

func (p *pipe) closeRead(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.noRead == nil {
		p.noRead = err
	}
	p.buf = nil
	p.changed.Broadcast()
}

func (p *pipe) closeWrite() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.noWrite = true
	p.changed.Broadcast()
}

func (r pipeReader) Read(b []byte) (int, error) {
	p := r.pipe
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.buf) == 0 && len(b) > 0 {
		switch {
		case p.noRead != nil:
			return 0, io.EOF
		case p.noWrite:
			return 0, io.EOF
		}
		p.changed.Wait()
	}
	n := copy(b, p.buf)
	p.buf = p.buf[n:]
	p.changed.Broadcast()
	return n, nil
}

func (w pipeWriter) Write(b []byte) (int, error) {
	p := w.pipe
	p.mu.Lock()
	defer p.mu.Unlock()
	written := 0
	for {
		if p.noRead != nil {
			return written, p.noRead
		}
		if p.noWrite {
			return written, syscall.EBADF
		}
		n := min(len(b), pipeSize-len(p.buf))
		p.buf = append(p.buf, b[:n]...)
		b = b[n:]
		written += n
		p.changed.Broadcast()
		if len(b) == 0 {
			return written, nil
		}
		p.changed.Wait()
	}
}
