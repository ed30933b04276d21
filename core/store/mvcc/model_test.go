package mvcc

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// model is the obvious implementation: a full copy of the state per revision.
type model struct {
	states map[int64]map[string]KV
	rev    int64
}

func newModel() *model {
	return &model{rev: 1, states: map[int64]map[string]KV{1: {}}}
}

// apply makes a revision of puts and deletes, if they change anything.
func (m *model) apply(ops []op) {
	next, changed := maps.Clone(m.states[m.rev]), false
	for _, o := range ops {
		old, found := next[o.key]
		if o.del {
			delete(next, o.key)
			changed = changed || found
			continue
		}
		kv := KV{Key: o.key, Value: o.value, CreateRevision: m.rev + 1, ModRevision: m.rev + 1, Version: 1}
		if found {
			kv.CreateRevision, kv.Version = old.CreateRevision, old.Version+1
		}
		next[o.key] = kv
		changed = true
	}
	if changed {
		m.rev++
		m.states[m.rev] = next
	}
}

func (m *model) list(start, end string, rev int64) []KV {
	var out []KV
	for _, k := range slices.Sorted(maps.Keys(m.states[rev])) {
		if contains(start, end, k) {
			out = append(out, m.states[rev][k])
		}
	}
	return out
}

type op struct {
	key, value string
	del        bool
}

func randomOps(r *rand.Rand) []op {
	ops := make([]op, 1+r.IntN(3))
	for i := range ops {
		ops[i] = op{
			key:   fmt.Sprintf("/%c/%d", 'a'+rune(r.IntN(3)), r.IntN(8)),
			value: fmt.Sprint(r.Uint32()),
			del:   r.IntN(3) == 0,
		}
	}
	return ops
}

func perform(t *testing.T, e *Engine, ops []op) int64 {
	t.Helper()
	rev, err := e.Update(func(tx *Tx) error {
		for _, o := range ops {
			var err error
			if o.del {
				_, err = tx.Delete(o.key)
			} else {
				_, err = tx.Put(o.key, []byte(o.value), 0)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rev
}

// TestAgainstModel compares every read at every revision that is held, and every
// watch from there, with the model, under random writes and compactions.
func TestAgainstModel(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 0))
		e := open(t, Options{})
		m := newModel()
		var compacted int64
		for range 150 {
			ops := randomOps(r)
			m.apply(ops)
			if got := perform(t, e, ops); got != m.rev {
				t.Fatalf("seed %d: revision %d, want %d", seed, got, m.rev)
			}
			if r.IntN(40) == 0 && m.rev > compacted+1 {
				compacted += 1 + r.Int64N(m.rev-compacted)
				if err := e.Compact(compacted); err != nil {
					t.Fatalf("seed %d: compact %d: %v", seed, compacted, err)
				}
			}
		}
		ranges := [][2]string{{"/a/", "/a0"}, {"/a/3", ""}, {"/b/", ToEnd}, {ToEnd, ToEnd}, {"/c/9", "/c/0"}}
		for _, rg := range ranges {
			for rev := max(compacted, 1); rev <= m.rev; rev++ {
				want := m.list(rg[0], rg[1], rev)
				checkRange(t, e, Query{Key: rg[0], End: rg[1], Rev: rev}, want)
				checkWatch(t, e, rg[0], rg[1], rev, m)
			}
			for rev := int64(1); rev < compacted; rev++ {
				if _, err := e.Range(Query{Key: rg[0], End: rg[1], Rev: rev}, nil); !errors.Is(err, ErrCompacted) {
					t.Fatalf("seed %d: read at compacted %d: %v", seed, rev, err)
				}
			}
		}
	}
}

// checkRange verifies a read without a limit, with each limit, and the count.
func checkRange(t *testing.T, e *Engine, q Query, want []KV) {
	t.Helper()
	for limit := range int64(len(want) + 2) {
		q.Limit = limit
		var got []KV
		res, err := e.Range(q, func(kv KV) { got = append(got, kv) })
		if err != nil {
			t.Fatalf("%+v: %v", q, err)
		}
		if res.Count != int64(len(want)) {
			t.Fatalf("%+v: count %d, want %d", q, res.Count, len(want))
		}
		page := want
		if limit > 0 {
			page = want[:min(int(limit), len(want))]
		}
		if !slices.Equal(got, page) {
			t.Fatalf("%+v:\n got %v\nwant %v", q, got, page)
		}
	}
	q.CountOnly = true
	res, err := e.Range(q, func(kv KV) { t.Errorf("%+v visits %v", q, kv) })
	if err != nil || res.Count != int64(len(want)) {
		t.Fatalf("%+v: %d, %v, want %d", q, res.Count, err, len(want))
	}
}

// checkWatch replays a watch that starts after rev onto the state at rev: it must
// lead through the model's states to its last, with the right previous values.
func checkWatch(t *testing.T, e *Engine, start, end string, rev int64, m *model) {
	t.Helper()
	w, _, err := e.Watch(WatchOptions{Key: start, End: end, Rev: rev + 1})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	w.RequestProgress()
	if rev == m.rev { // from the next revision on there is nothing to tell, not even progress
		if b, ready, err := w.collect(); ready || err != nil {
			t.Fatalf("a watch from the future tells %+v, %v", b, err)
		}
		return
	}
	state := map[string]KV{}
	for _, kv := range m.list(start, end, rev) {
		state[kv.Key] = kv
	}
	last := rev
	for {
		b, err := w.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(b.Events) == 0 {
			if b.Revision != m.rev {
				t.Fatalf("progress to %d, want %d", b.Revision, m.rev)
			}
			break
		}
		for _, c := range b.Events {
			if c.KV.ModRevision < last {
				t.Fatalf("revision %d after %d", c.KV.ModRevision, last)
			}
			last = c.KV.ModRevision
			old, found := state[c.KV.Key]
			if found != (c.Prev != nil) || found && old != *c.Prev {
				t.Fatalf("%q at %d: previous %v, want %v (%v)", c.KV.Key, last, c.Prev, old, found)
			}
			if c.Delete {
				delete(state, c.KV.Key)
			} else {
				state[c.KV.Key] = c.KV
			}
		}
	}
	want := map[string]KV{}
	for _, kv := range m.list(start, end, m.rev) {
		want[kv.Key] = kv
	}
	if !maps.Equal(state, want) {
		t.Fatalf("watch [%q,%q) after %d leads to %v, want %v", start, end, rev, state, want)
	}
}

func open(t testing.TB, opts Options) *Engine {
	t.Helper()
	e, err := Open(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}
