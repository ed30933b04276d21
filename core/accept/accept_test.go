package accept

import (
	"context"
	"errors"
	"net"
	"syscall"
	"testing"
	"time"
)

// answers is a listener that gives these answers, and then that it is closed.
type answers struct {
	net.Listener
	all []any // error or net.Conn
}

func (a *answers) Accept() (net.Conn, error) {
	if len(a.all) == 0 {
		return nil, net.ErrClosed
	}
	next := a.all[0]
	a.all = a.all[1:]
	if err, failed := next.(error); failed {
		return nil, err
	}
	return next.(net.Conn), nil
}

var full = &net.OpError{Op: "accept", Err: syscall.EMFILE}

func TestNextGoesOnAfterErrorsThatPass(t *testing.T) {
	here, there := net.Pipe()
	defer here.Close()
	defer there.Close()
	var told []time.Duration
	passing := func(err error, pause time.Duration) {
		if !errors.Is(err, syscall.EMFILE) {
			t.Errorf("told of %v", err)
		}
		told = append(told, pause)
	}
	l := &answers{all: []any{full, full, full, here}}
	conn, err := Next(t.Context(), l, passing)
	if conn != here || err != nil {
		t.Fatalf("got %v, %v", conn, err)
	}
	if len(told) != 3 || told[0] != shortest || told[1] != 2*shortest || told[2] != 4*shortest {
		t.Errorf("waited %v", told)
	}
	if _, err := Next(t.Context(), l, passing); !errors.Is(err, net.ErrClosed) {
		t.Errorf("a closed listener: %v", err)
	}
}

func TestNextEndsWithItsContext(t *testing.T) {
	ctx, end := context.WithCancelCause(context.Background())
	over := errors.New("over")
	_, err := Next(ctx, &answers{all: []any{full, full}}, func(error, time.Duration) { end(over) })
	if !errors.Is(err, over) {
		t.Errorf("while it waits: %v", err)
	}
	here, there := net.Pipe()
	defer there.Close()
	if _, err := Next(ctx, &answers{all: []any{here}}, nil); !errors.Is(err, over) {
		t.Errorf("with a connection that comes too late: %v", err)
	}
	if _, err := here.Write([]byte("x")); err == nil {
		t.Error("the connection that came too late is open")
	}
}
