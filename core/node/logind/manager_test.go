package logind

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestAShutdownIsHeldUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := New()
		heard := m.PrepareForShutdown()
		lock, err := m.Inhibit()
		if err != nil {
			t.Fatal(err)
		}
		m.SetInhibitDelayMax(30 * time.Second)
		begin, off := time.Now(), make(chan error, 1)
		go func() { off <- m.PowerOff(t.Context()) }()
		if !<-heard {
			t.Error("told that it is over")
		}
		if err := m.PowerOff(t.Context()); !errors.Is(err, ErrShuttingDown) {
			t.Errorf("a second one: %v", err)
		}
		if _, err := m.Inhibit(); !errors.Is(err, ErrShuttingDown) {
			t.Errorf("held up once it has begun: %v", err)
		}
		time.Sleep(2 * time.Second)
		m.Release(lock)
		m.Release(lock) // no matter
		if err, took := <-off, time.Since(begin); err != nil || took != 2*time.Second {
			t.Errorf("%v after %v", err, took)
		}
		m.Boot()
		m.Boot()
		if len(m.Booted()) > 0 {
			t.Error("booted before anybody has begun again")
		}
		if <-heard || len(heard) > 0 {
			t.Error("not told once that it is over")
		}

		// Who does not let go is not waited for.
		if _, err := m.Inhibit(); err != nil {
			t.Fatal(err)
		}
		select {
		case <-m.Booted():
		default:
			t.Error("nobody is told that it was booted")
		}
		begin = time.Now()
		if err, took := m.PowerOff(t.Context()), time.Since(begin); err != nil || took != 30*time.Second {
			t.Errorf("%v after %v", err, took)
		}
		m.Boot()

		// Whoever boots it, or does not wait, calls it off.
		go func() { off <- m.PowerOff(t.Context()) }()
		synctest.Wait()
		m.Boot()
		if err := <-off; !errors.Is(err, ErrCalledOff) {
			t.Errorf("booted meanwhile: %v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		go func() { off <- m.PowerOff(ctx) }()
		synctest.Wait()
		cancel()
		if err := <-off; !errors.Is(err, context.Canceled) {
			t.Errorf("called off: %v", err)
		}
		if _, err := m.Inhibit(); err != nil {
			t.Errorf("after it was called off: %v", err)
		}
		if len(m.Booted()) > 1 {
			t.Error("what was called off is a boot")
		}
	})
}

func TestNobodyHoldsItUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		if err := New().PowerOff(t.Context()); err != nil || time.Since(begin) != 0 {
			t.Errorf("%v after %v", err, time.Since(begin))
		}
	})
}
