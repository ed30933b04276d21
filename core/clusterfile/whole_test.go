package clusterfile

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/tabernetes/tabernetes/core/store/persist"
)

// breaking is a sink that fails from its n-th call on; once it is killed, every call fails.
type breaking struct {
	*memory
	left   int
	killed bool // the program is gone: it does not clean up either
	failed bool
}

var errBroken = errors.New("broken on purpose")

func (b *breaking) step() error {
	if b.left--; b.left < 0 && (!b.failed || b.killed) {
		b.failed = true
		return errBroken
	}
	return nil
}

func (b *breaking) Open(name string) (persist.File, error) {
	if err := b.step(); err != nil {
		return nil, err
	}
	f, err := b.memory.Open(name)
	return breakingFile{f, b}, err
}

func (b *breaking) Remove(name string) error {
	if err := b.step(); err != nil {
		return err
	}
	return b.memory.Remove(name)
}

func (b *breaking) Sync() error { return b.step() }

type breakingFile struct {
	persist.File
	of *breaking
}

func (f breakingFile) WriteAt(p []byte, off int64) (int, error) {
	if err := f.of.step(); err != nil {
		n, _ := f.File.WriteAt(p[:len(p)/2], off)
		return n, err
	}
	return f.File.WriteAt(p, off)
}

func (f breakingFile) Sync() error { return f.of.step() }

// TestAllOrNothing breaks an import and a copy at each of their calls, by an error and by a kill: what is
// there afterwards is all of it or, after Clean, nothing.
func TestAllOrNothing(t *testing.T) {
	f, err := Read(bytes.NewReader(written(t, Options{Secrets: true, Keys: keys})))
	if err != nil {
		t.Fatal(err)
	}
	saveKeys := func(to persist.Sink) error {
		file, err := to.Open("keys-1")
		if err != nil {
			return err
		}
		_, err = file.WriteAt(f.PKI["ca.key"], 0)
		return errors.Join(err, file.Sync(), file.Close())
	}
	for what, do := range map[string]func(persist.Sink) error{
		"import": func(to persist.Sink) error { return f.Into(to, saveKeys) },
		"copy":   func(to persist.Sink) error { return Copy(to, state(), noMore) },
	} {
		for _, killed := range []bool{false, true} {
			broken := 0
			for at := 0; ; at++ {
				sink := &breaking{memory: newMemory(), left: at, killed: killed}
				err := do(sink)
				if !sink.failed {
					if err != nil {
						t.Fatalf("%s: %v", what, err)
					}
					break
				}
				broken++
				if err == nil {
					t.Fatalf("%s: broken at %d, and said to be done", what, at)
				}
				if killed {
					if err := Clean(sink.memory); err != nil {
						t.Fatal(err)
					}
				}
				names, _ := sink.Files()
				if len(names) == 0 {
					continue
				}
				got, err := persist.Read(sink.memory)
				if err != nil || got.Rev != 77 || what == "import" && !slices.Contains(names, "keys-1") {
					t.Errorf("%s, killed %v at %d: left %v, %v", what, killed, at, names, err)
				}
			}
			if broken < 5 {
				t.Errorf("%s was broken at %d places only", what, broken)
			}
		}
	}
}

// TestAPlaceThatWasNeverCompleted is taken by the next one; Clean touches no other.
func TestAPlaceThatWasNeverCompleted(t *testing.T) {
	to := newMemory()
	for _, name := range []string{"journal-00000001", Unfinished} {
		if _, err := to.Open(name); err != nil {
			t.Fatal(err)
		}
	}
	if err := Copy(to, state(), noMore); err != nil {
		t.Fatal(err)
	}
	if err := Clean(to); err != nil {
		t.Fatal(err)
	}
	if got, err := persist.Read(to); err != nil || got.Rev != 77 {
		t.Errorf("revision %d, %v", got.Rev, err)
	}
	if err := Copy(to, state(), noMore); err == nil {
		t.Error("a cluster that is whole was taken for one that was never completed")
	}
}
