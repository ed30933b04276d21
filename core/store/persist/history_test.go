package persist

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tabernetes/tabernetes/core/store/mvcc"
)

// What revision n does follows from n alone, so that any state can be checked
// knowing nothing but its revision, by whoever finds it.

type step struct {
	key   string
	value []byte
	del   bool
}

// stepsTo are the changes of a revision, the first of which changes something.
func stepsTo(rev int64) []step {
	r := rand.New(rand.NewPCG(uint64(rev), 1))
	steps := []step{{key: fmt.Sprintf("/k/%02d", r.IntN(50)), value: valueOf(r)}}
	for range r.IntN(3) {
		steps = append(steps, step{key: fmt.Sprintf("/k/%02d", r.IntN(50)), value: valueOf(r), del: r.IntN(2) == 0})
	}
	return steps
}

func valueOf(r *rand.Rand) []byte {
	v := binary.AppendUvarint(nil, r.Uint64())
	if r.IntN(10) == 0 {
		v = append(v, make([]byte, r.IntN(2000))...) // zeros are allowed as well
	}
	return v
}

// advance makes the next revision.
func advance(e *mvcc.Engine) (int64, error) {
	return e.Update(func(tx *mvcc.Tx) error {
		for _, s := range stepsTo(tx.Revision() + 1) {
			var err error
			if s.del {
				_, err = tx.Delete(s.key)
			} else {
				_, err = tx.Put(s.key, s.value, 0)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// replica is the state that revisions lead to, by the plainest means.
type replica struct {
	rev int64
	kvs map[string]mvcc.KV
}

func newReplica() *replica { return &replica{rev: 1, kvs: map[string]mvcc.KV{}} }

func (m *replica) advanceTo(rev int64) {
	for m.rev < rev {
		m.rev++
		for _, s := range stepsTo(m.rev) {
			old, found := m.kvs[s.key]
			if s.del {
				delete(m.kvs, s.key)
				continue
			}
			kv := mvcc.KV{Key: s.key, Value: string(s.value), CreateRevision: m.rev, ModRevision: m.rev, Version: 1}
			if found {
				kv.CreateRevision, kv.Version = old.CreateRevision, old.Version+1
			}
			m.kvs[s.key] = kv
		}
	}
}

// check compares the whole state. It must not be behind the replica.
func (m *replica) check(t testing.TB, e *mvcc.Engine) {
	t.Helper()
	rev := e.Revision()
	if rev < m.rev {
		t.Fatalf("at revision %d, behind %d", rev, m.rev)
	}
	m.advanceTo(rev)
	s, err := e.State()
	if err != nil {
		t.Fatal(err)
	}
	want := slices.SortedFunc(maps.Values(m.kvs), func(a, b mvcc.KV) int { return compareStrings(a.Key, b.Key) })
	if !slices.Equal(s.KVs, want) {
		t.Fatalf("at revision %d:\n got %v\nwant %v", rev, s.KVs, want)
	}
}

func compareStrings(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func openEngine(t testing.TB, s Sink, opts Options) *mvcc.Engine {
	t.Helper()
	e, err := mvcc.Open(mvcc.Options{Journal: Open(s, opts), ProgressInterval: -1})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// filled returns the files of a store with so many revisions.
func filled(t testing.TB, revisions int, opts Options) *memory {
	t.Helper()
	m := newMemory()
	e := openEngine(t, m, opts)
	for range revisions {
		if _, err := advance(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	return m
}
