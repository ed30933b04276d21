package steps

import (
	"context"
	"encoding/json"
	"net"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/tabernetes/tabernetes/core/realnode/told"
	"github.com/tabernetes/tabernetes/core/trace"
)

// Bounds of what waits to be told.
const (
	maxWaiting      = 1000
	maxWaitingBytes = 2 << 20
)

// Teller keeps what is to be told, and tells it. The zero value is ready for use.
type Teller struct {
	mu      sync.Mutex
	waiting [][]byte // lines
	bytes   int
	missed  int64
	more    chan struct{} // closed when there is more; nil if nobody waits
	end     context.CancelFunc

	calls podsOf
	execs trace.Repeats
}

// add keeps a step until it is told. The oldest goes for it.
func (t *Teller) add(s told.Step) {
	line, err := json.Marshal(told.Line{Step: &s})
	if err != nil || len(line) >= told.MaxLine {
		t.miss(1)
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.waiting) > 0 && (len(t.waiting) == maxWaiting || t.bytes+len(line) > maxWaitingBytes) {
		t.bytes -= len(t.waiting[0])
		t.waiting = t.waiting[1:]
		t.missed++
	}
	t.waiting, t.bytes = append(t.waiting, line), t.bytes+len(line)
	t.wake()
}

func (t *Teller) miss(n int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.missed += n
	t.wake()
}

// wake is called with mu held.
func (t *Teller) wake() {
	if t.more != nil {
		close(t.more)
		t.more = nil
	}
}

// next takes a line, or gives what to wait for.
func (t *Teller) next() (line []byte, wait <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.missed > 0 {
		line, _ = json.Marshal(told.Line{Missed: t.missed})
		t.missed = 0
		return line, nil
	}
	if len(t.waiting) > 0 {
		line, t.waiting = t.waiting[0], t.waiting[1:]
		t.bytes -= len(line)
		return line, nil
	}
	if t.more == nil {
		t.more = make(chan struct{})
	}
	return nil, t.more
}

// Serve tells the cluster on a connection until that ends, or another one takes its place.
func (t *Teller) Serve(ctx context.Context, conn net.Conn) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	defer conn.Close()
	t.mu.Lock()
	if t.end != nil {
		t.end()
	}
	t.end = cancel
	t.mu.Unlock()

	var writing sync.Mutex
	write := func(line []byte) error {
		writing.Lock()
		defer writing.Unlock()
		_, err := conn.Write(append(line, '\n'))
		return err
	}
	asked := make(chan struct{})
	go func() {
		defer cancel()
		first := sync.OnceFunc(func() { close(asked) })
		for b := make([]byte, 1); ; {
			if _, err := conn.Read(b); err != nil || b[0] != told.Ask {
				return
			}
			line, _ := json.Marshal(told.Line{Clock: time.Now().UnixMicro()})
			if write(line) != nil {
				return
			}
			first()
		}
	}()
	select {
	case <-asked:
	case <-ctx.Done():
		return
	}
	// A little less than what the cluster takes, so that a node that is busy is not taken for one
	// that floods.
	steps := rate.NewLimiter(told.StepsPerSecond*4/5, told.StepsAtOnce/2)
	bytes := rate.NewLimiter(told.BytesPerSecond*4/5, told.BytesAtOnce/2)
	for {
		line, wait := t.next()
		if wait != nil {
			select {
			case <-wait:
			case <-ctx.Done():
				return
			}
			continue
		}
		err := steps.Wait(ctx)
		if err == nil {
			err = bytes.WaitN(ctx, len(line)+1)
		}
		if err == nil {
			err = write(line)
		}
		if err != nil {
			t.miss(1)
			return
		}
	}
}
