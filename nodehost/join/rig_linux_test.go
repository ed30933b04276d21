package join

import (
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/tabernetes/tabernetes/nodehost/nodetest"
)

// rig is a cluster behind a hub that machines can join, with what this package's tests do to it.
type rig struct{ *nodetest.Rig }

// host is a machine of it.
type host struct {
	*nodetest.Host
	rig *rig
}

func newRig(t *testing.T, args ...string) *rig {
	t.Helper()
	return &rig{nodetest.NewRig(t, args...)}
}

func newTabRig(t *testing.T, keep bool) *rig {
	t.Helper()
	return &rig{nodetest.NewTabRig(t, keep)}
}

func (r *rig) host(t *testing.T, name, cidr string) *host {
	t.Helper()
	return &host{r.Rig.Host(t, name, cidr), r}
}

func (r *rig) hostWithDisk(t *testing.T, name, cidr, size string) *host {
	t.Helper()
	return &host{r.Rig.HostWithDisk(t, name, cidr, size), r}
}

// longLane skips what takes many minutes.
func longLane(t *testing.T) {
	t.Helper()
	if os.Getenv("TABERNETES_LONG") == "" {
		t.Skip("`make test-long` runs it: it takes many minutes")
	}
}

// difference is what is in one of two sorted lists only.
func difference(before, after []string) (gone, came []string) {
	in := func(list []string) map[string]bool {
		m := map[string]bool{}
		for _, x := range list {
			m[x] = true
		}
		return m
	}
	b, a := in(before), in(after)
	maps.DeleteFunc(b, func(k string, _ bool) bool { return a[k] })
	was := in(before)
	maps.DeleteFunc(a, func(k string, _ bool) bool { return was[k] })
	return slices.Sorted(maps.Keys(b)), slices.Sorted(maps.Keys(a))
}
