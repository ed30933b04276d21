package etcdshim

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// reference says what any revision was, from the writes of a history in the order
// of their revisions. It is as plain as it can be: every version of every key.
type reference struct {
	versions map[string][]keyVersion // of each key, oldest first
	leased   map[clientv3.LeaseID]map[string]bool
	events   []event // one or more for each revision, in order
	starts   []int   // where each revision's events begin; index 0 is revision 2
	rev      int64
}

// keyVersion is a key from a revision on; zero Version means that it is not there.
type keyVersion struct {
	from int64
	kv   mvccpb.KeyValue
}

type event struct {
	del      bool
	kv       mvccpb.KeyValue
	prev     mvccpb.KeyValue // zero Version if there was none
	revision int64
}

// write is what a request was to change.
type write struct {
	rev     int64 // in which it did
	changes []change
	revoke  clientv3.LeaseID
}

type change struct {
	key   string
	value string
	lease clientv3.LeaseID
	del   bool
	// prefix deletes all keys that begin with key.
	prefix bool
}

func newReference() *reference {
	return &reference{versions: map[string][]keyVersion{}, leased: map[clientv3.LeaseID]map[string]bool{}, rev: 1}
}

// apply makes the next revision.
func (m *reference) apply(w *write) error {
	if w.rev != m.rev+1 {
		return fmt.Errorf("a write of revision %d follows %d", w.rev, m.rev)
	}
	m.rev++
	m.starts = append(m.starts, len(m.events))
	changes := w.changes
	if w.revoke != 0 {
		for key := range m.leased[w.revoke] {
			changes = append(changes, change{key: key, del: true})
		}
		sort.Slice(changes, func(i, j int) bool { return changes[i].key < changes[j].key })
	}
	for _, c := range changes {
		switch {
		case c.prefix:
			for _, kv := range m.list(c.key, m.rev) {
				m.set(string(kv.Key), change{del: true})
			}
		default:
			m.set(c.key, c)
		}
	}
	if len(m.events) == m.starts[len(m.starts)-1] {
		return fmt.Errorf("revision %d changed nothing", m.rev)
	}
	return nil
}

func (m *reference) set(key string, c change) {
	old := m.at(key, m.rev)
	if c.del && old.Version == 0 {
		return
	}
	delete(m.leased[clientv3.LeaseID(old.Lease)], key)
	e := event{del: c.del, prev: old, revision: m.rev}
	if c.del {
		e.kv = mvccpb.KeyValue{Key: []byte(key), ModRevision: m.rev}
		m.versions[key] = append(m.versions[key], keyVersion{from: m.rev})
	} else {
		kv := mvccpb.KeyValue{Key: []byte(key), Value: []byte(c.value), CreateRevision: m.rev, ModRevision: m.rev, Version: 1, Lease: int64(c.lease)}
		if old.Version > 0 {
			kv.CreateRevision, kv.Version = old.CreateRevision, old.Version+1
		}
		if c.lease != 0 {
			if m.leased[c.lease] == nil {
				m.leased[c.lease] = map[string]bool{}
			}
			m.leased[c.lease][key] = true
		}
		e.kv = kv
		m.versions[key] = append(m.versions[key], keyVersion{m.rev, kv})
	}
	m.events = append(m.events, e)
}

// at returns the key as it was at rev; zero Version if it was not there.
func (m *reference) at(key string, rev int64) mvccpb.KeyValue {
	vs := m.versions[key]
	i := sort.Search(len(vs), func(i int) bool { return vs[i].from > rev })
	if i == 0 {
		return mvccpb.KeyValue{}
	}
	return vs[i-1].kv
}

// list returns the keys that begin with prefix as they were at rev, in order.
func (m *reference) list(prefix string, rev int64) []mvccpb.KeyValue {
	var out []mvccpb.KeyValue
	for key := range m.versions {
		if strings.HasPrefix(key, prefix) {
			if kv := m.at(key, rev); kv.Version > 0 {
				out = append(out, kv)
			}
		}
	}
	slices.SortFunc(out, func(a, b mvccpb.KeyValue) int { return strings.Compare(string(a.Key), string(b.Key)) })
	return out
}

// eventsOf returns the events of keys in [key, end) of the revisions from..to.
func (m *reference) eventsOf(key, end string, from, to int64) []event {
	if to < from {
		return nil
	}
	last := len(m.events)
	if to < m.rev {
		last = m.starts[to-1]
	}
	var out []event
	for _, e := range m.events[m.starts[max(from, 2)-2]:last] {
		if k := string(e.kv.Key); k == key || end != "" && k >= key && k < end {
			out = append(out, e)
		}
	}
	return out
}

// same compares two versions; a nil one is a key that is not there.
func same(got *mvccpb.KeyValue, want mvccpb.KeyValue) bool {
	if got == nil {
		return want.Version == 0
	}
	return string(got.Key) == string(want.Key) && string(got.Value) == string(want.Value) &&
		got.CreateRevision == want.CreateRevision && got.ModRevision == want.ModRevision &&
		got.Version == want.Version && got.Lease == want.Lease
}
