package persist

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/store/mvcc"
)

// Loss is what a repair took away.
type Loss struct {
	File string
	// From is the first byte that is gone, Bytes how many are.
	From, Bytes int64
	// Reason is the damage for which it went.
	Reason error
}

// Check reads all of a store that is not open, changes nothing, and returns its
// latest revision. It fails with a *DamageError as opening the store would.
func Check(s Sink) (rev int64, err error) {
	state, err := Read(s)
	return state.Rev, err
}

// Read is Check, and returns what is in the store.
func Read(s Sink) (state mvcc.State, err error) {
	e, err := mvcc.Open(mvcc.Options{
		Journal:          Open(borrowed{s}, Options{readOnly: true}),
		ProgressInterval: -1,
	})
	if err != nil {
		return state, err
	}
	state, err = e.State()
	return state, errors.Join(err, e.Close())
}

// borrowed is a Sink that who uses it does not close.
type borrowed struct{ Sink }

func (borrowed) Close() error { return nil }

// Repair makes a damaged store one that opens, by taking away what is damaged and
// what builds on it. What it keeps is the store as it was at the revision it
// returns. A damaged snapshot costs nothing if the generation before is there; if
// it is not, nothing can be kept, nothing is changed, and Repair fails. The files
// should be copied before.
func Repair(s Sink) (rev int64, lost []Loss, err error) {
	for {
		rev, err = Check(s)
		var damage *DamageError
		if !errors.As(err, &damage) {
			if err == nil && len(lost) > 0 {
				// Nobody can know which revisions were in it (Options.NeverBack).
				err = appendReserved(s, rev+lostStep)
			}
			return rev, lost, err
		}
		took, err := cut(s, damage)
		if err != nil {
			return 0, lost, fmt.Errorf("repair: %w", err)
		}
		lost = append(lost, took...)
	}
}

// cut takes damage away. Each call leaves less than there was before.
func cut(s Sink, damage *DamageError) ([]Loss, error) {
	inv, err := list(s)
	if err != nil {
		return nil, err
	}
	kind, number, _ := strings.Cut(damage.File, "-")
	gen, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return nil, damage
	}
	if kind == "snapshot" {
		if !leadsTo(inv, gen) {
			return nil, fmt.Errorf("nothing can be kept: %w", damage)
		}
		return remove(s, snapshotName(gen), damage)
	}
	var lost []Loss
	// What comes later builds on what is damaged.
	for _, g := range inv.snapshots {
		if g > gen {
			if lost, err = removeInto(lost, s, snapshotName(g), damage); err != nil {
				return lost, err
			}
		}
	}
	exists := false
	for _, g := range inv.journals {
		exists = exists || g == gen
		if g > gen {
			if lost, err = removeInto(lost, s, journalName(g), damage); err != nil {
				return lost, err
			}
		}
	}
	if !exists && gen == 0 {
		return lost, fmt.Errorf("nothing can be kept: %w", damage)
	}
	f, err := s.Open(damage.File)
	if err != nil {
		return lost, err
	}
	size, err := f.Size()
	if err == nil {
		err = f.Truncate(min(damage.Offset, size))
	}
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close(), s.Sync()); err != nil {
		return lost, fmt.Errorf("cut %s: %w", damage.File, err)
	}
	return append(lost, Loss{damage.File, damage.Offset, size - min(damage.Offset, size), damage.Reason}), nil
}

// leadsTo tells whether there is an older way to generation gen than its snapshot.
func leadsTo(inv inventory, gen int64) bool {
	has := map[int64]bool{}
	for _, g := range inv.journals {
		has[g] = true
	}
	start := int64(0)
	for _, g := range inv.snapshots {
		if g < gen {
			start = g
		}
	}
	for g := start; g < gen; g++ {
		if !has[g] {
			return false
		}
	}
	return true
}

func removeInto(lost []Loss, s Sink, name string, damage *DamageError) ([]Loss, error) {
	took, err := remove(s, name, damage)
	return append(lost, took...), err
}

func remove(s Sink, name string, damage *DamageError) ([]Loss, error) {
	f, err := s.Open(name)
	if err != nil {
		return nil, err
	}
	size, err := f.Size()
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	if err := s.Remove(name); err != nil {
		return nil, err
	}
	return []Loss{{name, 0, size, damage.Reason}}, s.Sync()
}
