package command

import (
	"context"
	"io"
	"sync"
)

// gate is a command's output: closed when the command has returned or was told to end, because
// what upstream left behind may still write, if only that its requests were cut off.
type gate struct {
	ctx context.Context
	mu  sync.Mutex
	w   io.Writer
}

func (g *gate) Write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.w == nil || g.ctx.Err() != nil {
		return 0, io.ErrClosedPipe
	}
	return g.w.Write(p)
}

func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.w = nil
}
