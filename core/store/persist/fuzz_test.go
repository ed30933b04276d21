package persist

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"testing"

	"github.com/tabernetes/tabernetes/core/store/mvcc"
)

// FuzzEntry: content that is understood is written again as it was.
func FuzzEntry(f *testing.F) {
	for _, e := range []mvcc.Entry{
		{Kind: mvcc.EntryGrant, Lease: mvcc.LeaseGrant{ID: 1 << 62, TTL: 3600}},
		{Kind: mvcc.EntryBump, Record: mvcc.Record{Rev: 10_000}},
		{Kind: mvcc.EntryRevoke, Lease: mvcc.LeaseGrant{ID: 7}},
		{Kind: mvcc.EntryRevision, Record: mvcc.Record{Rev: 300, Changes: []mvcc.Change{
			{KV: mvcc.KV{Key: "/registry/pods/a", Value: "\x00k8s", CreateRevision: 200, ModRevision: 300, Version: 3, Lease: 9}},
			{KV: mvcc.KV{Key: "/registry/pods/b", ModRevision: 300}, Delete: true},
		}}},
	} {
		f.Add(appendEntry(nil, &e))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		e, err := parseEntry(string(content))
		if err != nil {
			if !errors.Is(err, errContent) {
				t.Errorf("%v", err)
			}
			return
		}
		if again := appendEntry(nil, &e); !bytes.Equal(again, content) {
			t.Errorf("%x is understood as %+v, which is %x", content, e, again)
		}
	})
}

// FuzzJournal: whatever is in a journal, it is read up to some record, and what was
// read is written again as it was; then it ends, is torn, or is damaged there.
func FuzzJournal(f *testing.F) {
	for _, n := range []int{0, 1, 5, 20} {
		data := filled(f, n, Options{}).files[journalName(0)].data
		f.Add(data)
		f.Add(data[:len(data)*2/3])
		f.Add(append(data[:len(data)/2:len(data)/2], data[len(data)/3:]...))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m := newMemory()
		m.files[journalName(0)] = &memoryFile{m: m, name: journalName(0), data: bytes.Clone(data)}
		l := Open(m, Options{readOnly: true})
		again := headAfter(1)
		err := l.Recover(func(mvcc.State) error { return errors.New("a journal has no state") }, func(e mvcc.Entry) error {
			start := len(again)
			again = endFrame(appendEntry(beginFrame(again), &e), start)
			return nil
		})
		var damage *DamageError
		switch {
		case err == nil && l.recovered.CutBytes+l.end != int64(len(data)):
			t.Fatalf("%d read and %d cut of %d bytes", l.end, l.recovered.CutBytes, len(data))
		case err != nil && !errors.As(err, &damage):
			t.Fatalf("neither good nor damaged: %v", err)
		case damage != nil && damage.Offset != l.end:
			t.Fatalf("%v, but %d bytes were read", damage, l.end)
		}
		if there := withoutMarks(t, data[:l.end]); l.end > int64(len(magic)) && !bytes.Equal(again, there) {
			t.Fatalf("what was read is\n%x\nwhat is there is\n%x", again, there)
		}
	})
}

// withoutMarks leaves out of whole frames those that say what was on disk: no entry.
func withoutMarks(t *testing.T, data []byte) []byte {
	r, err := newFrameReader(&memoryFile{m: newMemory(), data: data}, int64(len(data)))
	kept := bytes.Clone(data[:r.offset])
	for err == nil {
		var content []byte
		begin := r.offset
		if content, err = r.frame(); err == nil && content[0] != kindSynced {
			kept = append(kept, data[begin:r.offset]...)
		}
	}
	if !errors.Is(err, io.EOF) && !errors.Is(err, errTorn) {
		t.Fatal(err)
	}
	return kept
}

// FuzzSnapshot: a snapshot that is taken for complete says the same when it is
// written again.
func FuzzSnapshot(f *testing.F) {
	m := filled(f, 30, Options{SnapshotBytes: 1 << 10})
	for name, file := range m.files {
		if len(name) == len(snapshotName(1)) {
			f.Add(file.data)
			f.Add(file.data[:len(file.data)/2])
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m := newMemory()
		m.files[snapshotName(1)] = &memoryFile{m: m, name: snapshotName(1), data: bytes.Clone(data)}
		l := Open(m, Options{})
		s, err := l.loadSnapshot(1)
		var damage *DamageError
		if err != nil {
			if !errors.Is(err, errTorn) && !errors.As(err, &damage) {
				t.Fatalf("neither good nor damaged: %v", err)
			}
			return
		}
		if _, err := l.writeSnapshot(1, s); err != nil {
			t.Fatal(err)
		}
		if again, err := l.loadSnapshot(1); err != nil || !reflect.DeepEqual(again, s) {
			t.Fatalf("%+v, written again, is %+v, %v", s, again, err)
		}
	})
}
