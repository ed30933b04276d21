package persist

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tabernetes/tabernetes/core/store/mvcc"
)

var long = os.Getenv("TABERNETES_LONG") != ""

// count is n, or in the long lane as many as are asked for there.
func count(short, inLong int) int {
	if long {
		return inLong
	}
	return short
}

// frames returns where each frame of a file ends.
func frames(t testing.TB, data []byte) (ends []int64) {
	t.Helper()
	r, err := newFrameReader(&memoryFile{m: newMemory(), data: data}, int64(len(data)))
	for ends = []int64{r.offset}; err == nil; ends = append(ends, r.offset) {
		if _, err = r.next(); err != nil {
			return ends
		}
	}
	t.Fatal(err)
	return nil
}

// TestEveryTruncation cuts a journal at every byte: what opens is the store as it
// was at the last revision that is whole, and it goes on from there.
func TestEveryTruncation(t *testing.T) {
	full := filled(t, count(12, 60), Options{})
	data := full.files[journalName(0)].data
	ends := frames(t, data)
	for at := range len(data) {
		m := full.copy()
		m.files[journalName(0)].data = data[:at:at]
		checkPrefix(t, m, at, wholeRevisions(ends, int64(at)))
	}
}

// wholeRevisions is the revision that a journal from revision 1 on leads to when it
// is cut at a byte: its magic number and its head are no revisions.
func wholeRevisions(ends []int64, at int64) int64 {
	n := int64(0)
	for _, end := range ends {
		if end <= at {
			n++
		}
	}
	return max(1, n-1)
}

func checkPrefix(t *testing.T, m *memory, at int, rev int64) {
	t.Helper()
	e := openEngine(t, m, Options{})
	if got := e.Revision(); got != rev {
		t.Fatalf("cut at %d: revision %d, want %d", at, got, rev)
	}
	want := newReplica()
	want.check(t, e)
	for range 3 {
		if _, err := advance(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	e = openEngine(t, m, Options{})
	want.check(t, e)
	if want.rev != rev+3 {
		t.Fatalf("cut at %d, then three more: revision %d, want %d", at, want.rev, rev+3)
	}
	_ = e.Close()
}

// TestRandomTruncations cuts journals of stores with many generations.
func TestRandomTruncations(t *testing.T) {
	full := filled(t, 600, small)
	inv, err := list(full)
	if err != nil {
		t.Fatal(err)
	}
	last := journalName(inv.journals[len(inv.journals)-1])
	data := full.files[last].data
	r := rand.New(rand.NewPCG(1, 2))
	for range count(100, 1000) {
		at := r.IntN(len(data) + 1)
		m := full.copy()
		m.files[last].data = data[:at:at]
		e := openEngine(t, m, small)
		newReplica().check(t, e)
		_ = e.Close()
	}
}

// TestEveryFlippedByte: each is refused, at the record it is in; a repair keeps
// exactly what is before.
func TestEveryFlippedByte(t *testing.T) {
	full := filled(t, count(6, 40), Options{})
	data := full.files[journalName(0)].data
	ends := frames(t, data)
	for at := range data {
		m := full.copy()
		m.files[journalName(0)].data[at] ^= 1 << (at % 8)
		damagedAt := int64(0) // of the frame that the byte is in
		for _, end := range ends {
			if end <= int64(at) {
				damagedAt = end
			}
		}
		_, err := mvcc.Open(mvcc.Options{Journal: Open(m, Options{})})
		if at == len(magic)-1 {
			checkNewer(t, m, err)
			continue
		}
		var damage *DamageError
		if !errors.As(err, &damage) {
			t.Fatalf("byte %d: %v, want it refused", at, err)
		}
		if damage.File != journalName(0) || damage.Offset != damagedAt {
			t.Fatalf("byte %d: %v, want offset %d", at, damage, damagedAt)
		}
		rev, lost, err := Repair(m)
		if err != nil || len(lost) != 1 || lost[0].From != damagedAt || lost[0].Bytes != int64(len(data))-damagedAt {
			t.Fatalf("byte %d: repair: %+v, %v", at, lost, err)
		}
		checkPrefix(t, m, at, wholeRevisions(ends, damagedAt))
		_ = rev
	}
}

// checkNewer fails unless a store was refused as one of a later format, and nothing touches it.
func checkNewer(t *testing.T, m *memory, err error) {
	t.Helper()
	before := m.copy()
	_, lost, repaired := Repair(m)
	if damage := (*DamageError)(nil); !errors.Is(err, ErrNewer) || !errors.Is(repaired, ErrNewer) || errors.As(err, &damage) || len(lost) > 0 {
		t.Fatalf("%v; repair: %v, %v", err, repaired, lost)
	}
	if len(m.files) != len(before.files) {
		t.Fatalf("%d files of %d", len(m.files), len(before.files))
	}
	for name, f := range before.files {
		if !bytes.Equal(m.files[name].data, f.data) {
			t.Fatalf("%s was changed", name)
		}
	}
}

// TestANewerVersion: what a later version wrote is left alone, with all that is there, whatever is repaired otherwise.
func TestANewerVersion(t *testing.T) {
	full := filled(t, 600, forward)
	names, _ := full.Files()
	names = slices.DeleteFunc(names, func(name string) bool { return name == revisionsName })
	kinds := map[string]bool{}
	for _, name := range names {
		m := full.copy()
		m.files[name].data[len(magic)-1]++
		_, err := mvcc.Open(mvcc.Options{Journal: Open(m, forward)})
		// One that is behind another, complete one is not read.
		if inv, _ := list(m); err == nil && len(inv.snapshots) > 0 && name < snapshotName(inv.snapshots[len(inv.snapshots)-1]) {
			continue
		}
		if !errors.Is(err, ErrNewer) {
			t.Errorf("%s: %v", name, err)
		}
		kind, _, _ := strings.Cut(name, "-")
		kinds[kind] = true
		checkNewer(t, m, err)
	}
	for _, kind := range []string{"journal", "snapshot"} {
		if !kinds[kind] {
			t.Errorf("no %s among %v", kind, names)
		}
	}
}

// TestDamagedFiles flips bytes of, cuts and removes any file of a store with
// several generations. It opens with nothing lost, or is refused; then a repair
// leads to an earlier state of it, or says that it cannot and changes nothing.
func TestDamagedFiles(t *testing.T) {
	full := filled(t, 600, small)
	names, _ := full.Files()
	r := rand.New(rand.NewPCG(3, 4))
	opened, repaired, hopeless := 0, 0, 0
	for range count(100, 3000) {
		m := full.copy()
		name := names[r.IntN(len(names))]
		f := m.files[name]
		switch r.IntN(4) {
		case 0:
			delete(m.files, name)
		case 1:
			f.data = f.data[:r.IntN(len(f.data))]
		default:
			f.data[r.IntN(len(f.data))] ^= byte(1 + r.IntN(255))
		}
		_, err := Check(m)
		if errors.Is(err, ErrNewer) {
			checkNewer(t, m, err)
			continue
		} else if err == nil {
			opened++
		} else if rev, lost, err := Repair(m); err != nil {
			hopeless++
			t.Logf("%s: %v, %+v", name, err, lost)
			continue
		} else {
			repaired++
			if got, err := Check(m); err != nil || got != rev {
				t.Fatalf("after a repair to %d: %d, %v", rev, got, err)
			}
		}
		e := openEngine(t, m, small)
		newReplica().check(t, e)
		_ = e.Close()
	}
	t.Logf("%d opened, %d repaired, %d lost", opened, repaired, hopeless)
	if hopeless > 0 {
		t.Error("with a generation in reserve any one damage can be repaired")
	}
}

// TestPowerLoss cuts power at a random call of the disk, at which any part of what
// was not synced may be on it. With SyncAlways nothing acknowledged is missing;
// with the others the store is as it was at some revision, or says it is damaged.
func TestPowerLoss(t *testing.T) {
	for name, c := range map[string]struct {
		policy  SyncPolicy
		writers int
	}{"always": {SyncAlways, 1}, "always, 8 writers": {SyncAlways, 8}, "never": {SyncNever, 1}} {
		t.Run(name, func(t *testing.T) {
			opts, policy := small, c.policy
			opts.Sync = policy
			r := rand.New(rand.NewPCG(5, 6))
			refused, torn := 0, 0
			for range count(100, 2000) {
				was, cut := losePower(t, r, opts, c.writers)
				refused += was
				torn += cut
			}
			t.Logf("%d refused, %d with a torn end", refused, torn)
			if torn == 0 {
				t.Error("no end was torn: the test proves nothing")
			}
			if policy == SyncAlways && refused > 0 {
				t.Errorf("%d stores that lost nothing were refused", refused)
			}
		})
	}
}

func losePower(t *testing.T, r *rand.Rand, opts Options, writers int) (refused, torn int) {
	t.Helper()
	m := newMemory()
	e, err := mvcc.Open(mvcc.Options{Journal: Open(m, opts), ProgressInterval: -1})
	if err != nil {
		t.Fatal(err)
	}
	calls, off := r.IntN(400), errors.New("power is off")
	m.fail = func(string, string) error { // called with m.mu held
		if calls--; calls < 0 {
			return off
		}
		return nil
	}
	var acknowledged atomic.Int64
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			for {
				rev, err := advance(e)
				if err != nil {
					return
				}
				for was := acknowledged.Load(); was < rev && !acknowledged.CompareAndSwap(was, rev); {
					was = acknowledged.Load()
				}
			}
		})
	}
	all.Wait()
	disk := m.afterPowerLoss(r)
	m.mu.Lock()
	m.fail = nil
	m.mu.Unlock()
	_ = e.Close()
	log := Open(disk, opts)
	again, err := mvcc.Open(mvcc.Options{Journal: log, ProgressInterval: -1})
	var damage *DamageError
	if errors.As(err, &damage) {
		if opts.Sync == SyncAlways {
			t.Log(damage)
		}
		return 1, 0
	}
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if opts.Sync == SyncAlways && again.Revision() < acknowledged.Load() {
		t.Fatalf("revision %d, but %d was acknowledged", again.Revision(), acknowledged.Load())
	}
	newReplica().check(t, again)
	if log.Status().Recovered.CutBytes > 0 {
		torn = 1
	}
	return 0, torn
}
