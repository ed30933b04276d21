package dex

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

func TestTableForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kept := newTable[int](3, time.Minute)
		for i := range 5 {
			kept.add(fmt.Sprint(i), i)
		}
		if len(kept.rows) != 3 || kept.order.Len() != 3 {
			t.Errorf("it keeps %d and %d", len(kept.rows), kept.order.Len())
		}
		for i := range 5 {
			if got, ok := kept.get(fmt.Sprint(i)); ok != (i > 1) || ok && got != i {
				t.Errorf("%d: %d, %v", i, got, ok)
			}
		}
		if _, ok := kept.take("3"); !ok {
			t.Error("it is not there")
		}
		if _, ok := kept.take("3"); ok {
			t.Error("it is there after it was taken")
		}
		time.Sleep(time.Minute + time.Second)
		if _, ok := kept.get("4"); ok || kept.change("2", func(*int) {}) {
			t.Error("it is there after its time")
		}
		kept.add("x", 1)
		kept.add("x", 2)
		if got, _ := kept.get("x"); got != 2 || len(kept.rows) != 1 || kept.order.Len() != 1 {
			t.Errorf("%d of %d", got, len(kept.rows))
		}
	})
}

// TestGateIsSlow: who is wrong makes the next wait, and a crowd is sent away.
func TestGateIsSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		began := time.Now()
		for range 3 {
			leave, err := g.enter(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			leave(true)
		}
		if took := time.Since(began); took != 2*afterWrong {
			t.Errorf("three guesses took %v", took)
		}
		synctest.Wait()
		for range maxWaiting {
			go func() {
				if leave, err := g.enter(t.Context()); err == nil {
					leave(true)
				}
			}()
		}
		synctest.Wait()
		if _, err := g.enter(t.Context()); !errors.Is(err, errCrowd) {
			t.Errorf("one too many: %v", err)
		}
		time.Sleep(time.Minute)
		if leave, err := g.enter(t.Context()); err != nil {
			t.Error(err)
		} else {
			leave(false)
		}
	})
}
