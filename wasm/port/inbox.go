package port

import (
	"context"
	"errors"
	"io"
	"sync"
)

// maxInbox bounds what the page may send before the handler reads it, in bytes. The page does
// not wait for the reader in this direction: a request's body is bounded by the apiserver's 3 MiB.
const maxInbox = 16 << 20

var errInboxFull = errors.New("more than 16 MiB were sent and not read")

// inbox is what the page has sent and the handler not yet read.
type inbox struct {
	ctx    context.Context
	mu     sync.Mutex
	bytes  []byte
	ended  bool
	wake   chan struct{} // buffered: something has changed
	waits  func()        // tells the page that the reader waits; may be nil
	asking bool          // it has been told, and nothing came since
}

func newInbox(ctx context.Context) *inbox {
	return &inbox{ctx: ctx, wake: make(chan struct{}, 1)}
}

func (b *inbox) onWait(f func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waits = f
}

func (b *inbox) put(chunk []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended {
		return nil
	}
	if len(b.bytes)+len(chunk) > maxInbox {
		return errInboxFull
	}
	b.bytes = append(b.bytes, chunk...)
	b.changed()
	return nil
}

func (b *inbox) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = true
	b.changed()
}

// changed wakes the reader. Caller holds mu.
func (b *inbox) changed() {
	b.asking = false
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// Read takes what is there, or waits for more.
func (b *inbox) Read(p []byte) (int, error) {
	for {
		if b.ctx.Err() != nil {
			return 0, context.Cause(b.ctx)
		}
		n, err, ask := b.take(p)
		if n > 0 || err != nil || len(p) == 0 {
			return n, err
		}
		if ask != nil {
			ask()
		}
		select {
		case <-b.wake:
		case <-b.ctx.Done():
		}
	}
}

// take returns what can be had without waiting, or what to call before waiting.
func (b *inbox) take(p []byte) (n int, err error, ask func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n = copy(p, b.bytes); n > 0 {
		if b.bytes = b.bytes[n:]; len(b.bytes) == 0 {
			b.bytes = nil
		}
		return n, nil, nil
	}
	if b.ended {
		return 0, io.EOF, nil
	}
	if b.waits != nil && !b.asking {
		b.asking = true
		return 0, nil, b.waits
	}
	return 0, nil, nil
}
