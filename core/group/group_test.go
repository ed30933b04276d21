package group

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

var errBroken = errors.New("broken")

func TestTheFirstFailureEndsAll(t *testing.T) {
	ctx, g := New(t.Context())
	g.Go("patient", func() error { <-ctx.Done(); return errors.New("too late") })
	g.Go("broken", func() error { return errBroken })
	if err := g.Wait(); !errors.Is(err, errBroken) || err.Error() != "broken: broken" {
		t.Errorf("%v", err)
	}
}

func TestAPanicIsAnError(t *testing.T) {
	ctx, g := New(t.Context())
	g.Go("patient", func() error { <-ctx.Done(); return nil })
	g.Go("nil's", func() error { return (*struct{ err error })(nil).err })
	if err := g.Wait(); err == nil || !strings.HasPrefix(err.Error(), "nil's panicked: ") || !strings.Contains(err.Error(), "group_test.go") {
		t.Errorf("%v", err)
	}
}

func TestWhoIsToldToEnd(t *testing.T) {
	outer, cancel := context.WithCancel(t.Context())
	ctx, g := New(outer)
	g.Go("patient", func() error { <-ctx.Done(); return nil })
	cancel()
	if err := g.Wait(); err != nil {
		t.Errorf("from outside: %v", err)
	}
	ctx, g = New(t.Context())
	g.Go("patient", func() error { <-ctx.Done(); return nil })
	g.End(errBroken)
	if err := g.Wait(); !errors.Is(err, errBroken) {
		t.Errorf("with a reason: %v", err)
	}
}

func TestWhoCannotBeEnded(t *testing.T) {
	stop := make(chan struct{})
	_, g := New(t.Context())
	g.Go("endless", func() error { <-stop; return nil })
	g.End(errBroken)
	if err := g.WaitFor(time.Millisecond); !errors.Is(err, errBroken) {
		t.Errorf("%v", err)
	}
	close(stop)
	if err := g.WaitFor(time.Hour); !errors.Is(err, errBroken) {
		t.Errorf("%v", err)
	}
}
