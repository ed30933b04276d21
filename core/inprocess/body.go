package inprocess

import (
	"context"
	"io"
	"sync"
)

// bodySize is how much of a response may be written before it is read, in bytes: a small response
// ends without its handler and its reader ever waiting for each other.
const bodySize = 64 << 10

// body is a response's body, a bounded pipe: one goroutine writes, one reads.
type body struct {
	cancel context.CancelFunc // tells the handler that nobody reads on

	mu     sync.Mutex
	change sync.Cond // something was written, read, ended or closed
	data   []byte    // written and not yet read
	ended  error     // what the reader gets after data; nil while the handler writes
	closed bool      // by the reader
}

var _ io.ReadCloser = (*body)(nil)

func newBody(cancel context.CancelFunc) *body {
	b := &body{cancel: cancel}
	b.change.L = &b.mu
	return b
}

// write takes all of p, or fails with io.ErrClosedPipe when the reader has gone.
func (b *body) write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	written := 0
	for written < len(p) {
		for len(b.data) >= bodySize && !b.closed {
			b.change.Wait()
		}
		if b.closed {
			return written, io.ErrClosedPipe
		}
		n := min(len(p)-written, bodySize-len(b.data))
		b.data = append(b.data, p[written:written+n]...)
		written += n
		b.change.Broadcast()
	}
	return written, nil
}

// end is called once, by the handler's goroutine; a nil error is the plain end of the response.
func (b *body) end(err error) {
	if err == nil {
		err = io.EOF
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = err
	b.change.Broadcast()
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for {
		switch {
		case b.closed:
			return 0, io.ErrClosedPipe
		case len(b.data) > 0:
			n := copy(p, b.data)
			if b.data = b.data[n:]; len(b.data) == 0 {
				b.data = nil // a watch that is quiet holds nothing
			}
			b.change.Broadcast()
			return n, nil
		case b.ended != nil:
			return 0, b.ended
		case len(p) == 0:
			return 0, nil
		}
		b.change.Wait()
	}
}

// Close implements io.Closer: it tells the handler that nobody reads on.
func (b *body) Close() error {
	b.cancel()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed, b.data = true, nil
	b.change.Broadcast()
	return nil
}
