package hub

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/tabernetes/tabernetes/core/tunnel"
)

// TestAClientWaitsForATunnelThatIsDialledAgain longer than for one that has been gone for a while, and for a name that
// nobody has not at all. The time is the test's own.
func TestAClientWaitsForATunnelThatIsDialledAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRegistry(&Hub{nodes: newNodes()})
		c, err := r.claim(tunnel.Hello{Name: "alpha", Instance: instanceA})
		if err != nil {
			t.Fatal(err)
		}
		find := func(name string) (found *tunnel.Session, took time.Duration) {
			began := time.Now()
			found, _, _ = r.find(t.Context(), name)
			return found, time.Since(began)
		}
		first, second := new(tunnel.Session), new(tunnel.Session)
		r.attach(c, "", first)
		if s, took := find("alpha"); s != first || took != 0 {
			t.Errorf("attached: %p after %s", s, took)
		}
		r.detach(c, first)
		if s, took := find("beta"); s != nil || took != 0 {
			t.Errorf("a name that nobody has: %p after %s", s, took)
		}
		const busy = 7 * time.Second // more than patience
		time.AfterFunc(busy, func() { r.attach(c, "", second) })
		for _, name := range []string{"alpha", ""} {
			if s, took := find(name); s != second || took > busy {
				t.Errorf("%q, dialled again after %s: %p after %s", name, busy, s, took)
			}
		}
		r.detach(c, second)
		if s, took := find("alpha"); s != nil || took != comeback {
			t.Errorf("just gone: %p after %s", s, took)
		}
		if s, took := find("alpha"); s != nil || took != patience {
			t.Errorf("gone for a while: %p after %s", s, took)
		}
	})
}
