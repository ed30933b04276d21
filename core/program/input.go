package program

import (
	"context"
	"errors"
	"io"
	"sync"
)

// Input makes a blocking reader cancellable, without losing what arrives later: it reads only
// on demand, and what a cancelled reader had asked for goes to the next one.
type Input struct {
	src io.Reader

	mu      sync.Mutex
	reading bool          // a goroutine is in src.Read
	arrived chan struct{} // closed when it returns
	buf     []byte        // arrived, not yet taken
	err     error         // after buf
}

// NewInput wraps src, or returns the Input that src came from.
func NewInput(src io.Reader) *Input {
	if r, ok := src.(*inputReader); ok {
		return r.in
	}
	return &Input{src: src}
}

// Reader returns a reader of the input whose Read ends with ctx's error when ctx is done.
func (in *Input) Reader(ctx context.Context) io.Reader {
	if in.src == nil {
		return eof{}
	}
	return &inputReader{in: in, ctx: ctx}
}

type inputReader struct {
	in  *Input
	ctx context.Context
}

func (r *inputReader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for {
		if r.ctx.Err() != nil {
			return 0, context.Cause(r.ctx)
		}
		n, arrived, err := r.in.take(p)
		if n > 0 || err != nil {
			return n, err
		}
		select {
		case <-arrived:
		case <-r.ctx.Done():
		}
	}
}

// take gives what has arrived, or starts a read of len(p) bytes at most.
func (in *Input) take(p []byte) (n int, arrived <-chan struct{}, err error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if len(in.buf) > 0 {
		n := copy(p, in.buf)
		in.buf = in.buf[n:]
		return n, nil, nil
	}
	if in.err != nil {
		err := in.err
		if !errors.Is(err, io.EOF) {
			in.err = nil // an interrupted terminal can be read again
		}
		return 0, nil, err
	}
	if !in.reading {
		in.reading = true
		in.arrived = make(chan struct{})
		go in.read(make([]byte, 32<<10)) // lossless, whoever reads the rest
	}
	return 0, in.arrived, nil
}

func (in *Input) read(buf []byte) {
	n, err := in.src.Read(buf)
	in.mu.Lock()
	defer in.mu.Unlock()
	in.buf, in.err, in.reading = buf[:n], err, false
	close(in.arrived)
}

type eof struct{}

func (eof) Read([]byte) (int, error) { return 0, io.EOF }
