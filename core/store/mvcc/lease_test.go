package mvcc

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func putLeased(t *testing.T, e *Engine, key string, lease int64) {
	t.Helper()
	if _, err := e.Update(func(tx *Tx) error {
		_, err := tx.Put(key, []byte("v"), lease)
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

func exists(t *testing.T, e *Engine, key string) bool {
	t.Helper()
	_, found, _, err := e.Get(key)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestExpiry: the keys of a lease go in one revision, with events, when its time
// is over and not before.
func TestExpiry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := openInBubble(t, Options{})
		long, _ := e.Grant(0, 100)
		short, _ := e.Grant(0, 10)
		putLeased(t, e, "a", short.ID)
		putLeased(t, e, "b", short.ID)
		putLeased(t, e, "c", long.ID)
		w := watch(t, e, WatchOptions{Key: "a", End: ToEnd})
		rev := e.Revision()

		time.Sleep(10*time.Second - time.Millisecond)
		synctest.Wait()
		if !exists(t, e, "a") {
			t.Error("a is gone too early")
		}
		time.Sleep(2 * time.Millisecond)
		synctest.Wait()
		b := next(t, w)
		if len(b.Events) != 2 || !b.Events[0].Delete || b.Events[0].KV.ModRevision != rev+1 || b.Events[1].KV.ModRevision != rev+1 {
			t.Errorf("want two deletions at %d, got %+v", rev+1, b)
		}
		if exists(t, e, "a") || exists(t, e, "b") || !exists(t, e, "c") {
			t.Error("want a and b gone, c there")
		}
		if _, err := e.TimeToLive(short.ID); !errors.Is(err, ErrLeaseNotFound) {
			t.Errorf("an expired lease: %v", err)
		}

		time.Sleep(80 * time.Second)
		if _, err := e.KeepAlive(long.ID); err != nil {
			t.Fatal(err)
		}
		time.Sleep(99 * time.Second)
		synctest.Wait()
		if l, err := e.TimeToLive(long.ID); err != nil || l.Remaining != 1 || !slices.Equal(l.Keys, []string{"c"}) {
			t.Errorf("kept alive: %+v, %v", l, err)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if exists(t, e, "c") || len(e.Leases()) != 0 {
			t.Error("c should be gone with its lease")
		}
	})
}

func TestLeaseFollowsKey(t *testing.T) {
	e := open(t, Options{})
	one, _ := e.Grant(1, 60)
	two, _ := e.Grant(2, 60)
	putLeased(t, e, "moved", one.ID)
	putLeased(t, e, "moved", two.ID)
	putLeased(t, e, "freed", one.ID)
	put(t, e, "freed", "v")
	putLeased(t, e, "dead", one.ID)
	del(t, e, "dead")
	putLeased(t, e, "kept", one.ID)
	if l, _ := e.TimeToLive(one.ID); !slices.Equal(l.Keys, []string{"kept"}) {
		t.Errorf("lease one has %v, want kept only", l.Keys)
	}
	rev := e.Revision()
	got, err := e.Revoke(one.ID)
	if err != nil || got != rev+1 {
		t.Errorf("revoke: %d, %v, want %d", got, err, rev+1)
	}
	if exists(t, e, "kept") || !exists(t, e, "moved") || !exists(t, e, "freed") {
		t.Error("want kept gone, moved and freed there")
	}
	if got, err := e.Revoke(two.ID); err != nil || got != rev+2 || exists(t, e, "moved") {
		t.Errorf("revoke the other: %d, %v", got, err)
	}
	if len(e.leases.byKey) != 0 {
		t.Errorf("keys without lease are still attached: %v", e.leases.byKey)
	}
}

func TestLeaseErrors(t *testing.T) {
	e := open(t, Options{})
	if _, err := e.Grant(5, 60); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Grant(5, 60); !errors.Is(err, ErrLeaseExists) {
		t.Errorf("grant twice: %v", err)
	}
	if _, err := e.Grant(0, MaxLeaseTTL+1); !errors.Is(err, ErrLeaseTTLTooLarge) {
		t.Errorf("too long: %v", err)
	}
	if _, err := e.KeepAlive(6); !errors.Is(err, ErrLeaseNotFound) {
		t.Errorf("keep alive: %v", err)
	}
	if _, err := e.Revoke(6); !errors.Is(err, ErrLeaseNotFound) {
		t.Errorf("revoke: %v", err)
	}
	_, err := e.Update(func(tx *Tx) error {
		_, err := tx.Put("a", nil, 6)
		return err
	})
	if !errors.Is(err, ErrLeaseNotFound) {
		t.Errorf("put: %v", err)
	}
}
