package nodedir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

func place(t *testing.T) Place {
	dir := t.TempDir()
	return Place{Dir: filepath.Join(dir, "node"), Run: filepath.Join(dir, "run")}
}

func TestStateIsKept(t *testing.T) {
	p := place(t)
	if _, err := p.Load(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a node: %v", err)
	}
	s := &State{Hub: "http://hub", Node: "a", Instance: "i", Joined: true, CAHash: []string{"sha256:00"}, Sysctls: map[string]string{"vm/panic_on_oom": "0"}}
	if err := p.Save(s); err != nil {
		t.Fatal(err)
	}
	got, err := p.Load()
	if err != nil || !reflect.DeepEqual(got, s) {
		t.Errorf("got %+v, %v", got, err)
	}
	// It has the node's secret towards the hub.
	if st, err := os.Stat(p.StateFile()); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", st.Mode(), err)
	}
	if err := os.WriteFile(p.StateFile(), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Load(); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("half a file: %v", err)
	}
}

func TestOneNodeAPlace(t *testing.T) {
	p := place(t)
	release, _, err := p.Lock()
	if err != nil {
		t.Fatal(err)
	}
	if _, pid, err := p.Lock(); !errors.Is(err, ErrRuns) || pid != os.Getpid() {
		t.Errorf("a second one: process %d, %v", pid, err)
	}
	release()
	again, _, err := p.Lock()
	if err != nil {
		t.Fatalf("after the first has gone: %v", err)
	}
	again()
}

// Who cannot say which process holds the lock does not hold it.
func TestALockThatCannotBeWritten(t *testing.T) {
	p := place(t)
	if err := errors.Join(os.MkdirAll(p.Run, 0o711), os.Symlink("/dev/full", p.lockFile())); err != nil {
		t.Fatal(err)
	}
	if release, _, err := p.Lock(); err == nil {
		release()
		t.Error("it is locked")
	}
}

func TestDirectoriesElsewhere(t *testing.T) {
	p := place(t)
	root := t.TempDir()
	there := filepath.Join(root, "there")
	if err := os.Mkdir(there, 0o755); err != nil {
		t.Fatal(err)
	}
	s := &State{Node: "a", Instance: "i"}
	for _, dir := range []string{filepath.Join(there, "a", "b"), there, filepath.Join(root, "c")} {
		if err := p.MakeOutside(s, dir); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{filepath.Join(root, "c"), filepath.Join(there, "a", "b"), filepath.Join(there, "a")}
	if !reflect.DeepEqual(s.Made, want) {
		t.Errorf("made %v, want %v, the deepest before what it is in", s.Made, want)
	}
	if kept, err := p.Load(); err != nil || !reflect.DeepEqual(kept.Made, want) {
		t.Errorf("it is not kept: %v, %v", kept, err)
	}
}
