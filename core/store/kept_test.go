package store_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/storage"

	"github.com/tabernetes/tabernetes/core/store"
	"github.com/tabernetes/tabernetes/core/store/persist"
)

func openAt(t *testing.T, path string) *store.Store {
	t.Helper()
	s, err := store.Open(store.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// TestKeptInADirectory goes the way of an apiserver that is stopped, started again,
// and then finds its files damaged.
func TestKeptInADirectory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store")
	s := openAt(t, path)
	uninstall := store.Install(s)
	st, _ := createStorage(t, configFor(s.Endpoint()))
	createPod(t, st, "a")
	createPod(t, st, "b")
	uninstall()
	// On js the files are the program's own, and nothing locks them.
	if _, err := store.Open(store.Options{Path: path}); err == nil && runtime.GOOS != "js" {
		t.Fatal("opened while it is open")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	s = openAt(t, path)
	defer store.Install(s)()
	st, _ = createStorage(t, configFor(s.Endpoint()))
	if !hasPod(t, st, "a") || !hasPod(t, st, "b") {
		t.Error("pods are gone")
	}
	createPod(t, st, "c")
	rev := s.Status().Revision
	if kept, ok := s.Kept(); !ok || kept.Recovered.Revision != rev-1 {
		t.Errorf("recovered %+v, %v, want revision %d", kept, ok, rev-1)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	name := filepath.Join(path, "journal-00000000")
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)-20] ^= 1 // in pod c
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	var damage *persist.DamageError
	if _, err := store.Open(store.Options{Path: path}); !errors.As(err, &damage) {
		t.Fatalf("opened damaged files: %v", err)
	}
	got, lost, err := store.Repair(path)
	if err != nil || got != rev-1 || len(lost) != 1 || lost[0].From != damage.Offset {
		t.Fatalf("repaired to %d, without %+v, %v; want %d", got, lost, err, rev-1)
	}
	s = openAt(t, path)
	defer store.Install(s)()
	st, _ = createStorage(t, configFor(s.Endpoint()))
	if !hasPod(t, st, "a") || !hasPod(t, st, "b") || hasPod(t, st, "c") {
		t.Error("want pods a and b, and not c")
	}
}

// TestADamagedStoreThatIsRepairedWhenOpened: what can be kept is there, the rest is told and set aside, and
// who remembers what is lost is told that it is of the past.
func TestADamagedStoreThatIsRepairedWhenOpened(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store")
	opened := func() *store.Store {
		t.Helper()
		sink, err := persist.OpenDir(path)
		if err != nil {
			t.Fatal(err)
		}
		s, err := store.Open(store.Options{Sink: sink, Repair: true, Keep: persist.Options{Sync: persist.SyncInterval, NeverBack: true}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	s := opened()
	uninstall := store.Install(s)
	st, _ := createStorage(t, configFor(s.Endpoint()))
	createPod(t, st, "a")
	createPod(t, st, "b")
	uninstall()
	highest := s.Status().Revision
	if len(s.Lost()) != 0 {
		t.Errorf("of a new store %v is lost", s.Lost())
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(path, "journal-00000000")
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	damaged := append([]byte(nil), whole...)
	damaged[len(damaged)-20] ^= 1 // in pod b
	if err := os.WriteFile(name, damaged, 0o600); err != nil {
		t.Fatal(err)
	}
	s = opened()
	if lost := s.Lost(); len(lost) != 1 || lost[0].File != "journal-00000000" || lost[0].Bytes == 0 {
		t.Errorf("lost %+v", lost)
	}
	if got := s.Status().Revision; got <= highest {
		t.Errorf("at revision %d, %d was given out", got, highest)
	}
	uninstall = store.Install(s)
	st, _ = createStorage(t, configFor(s.Endpoint()))
	if !hasPod(t, st, "a") || hasPod(t, st, "b") {
		t.Error("want pod a, and not b")
	}
	w, err := st.Watch(t.Context(), "/pods/", storage.ListOptions{ResourceVersion: strconv.FormatInt(highest, 10), Recursive: true, Predicate: storage.Everything})
	if err == nil {
		defer w.Stop()
		if e := <-w.ResultChan(); e.Type != watch.Error || !apierrors.IsResourceExpired(apierrors.FromObject(e.Object)) && !apierrors.IsGone(apierrors.FromObject(e.Object)) {
			t.Errorf("a watch from before: %+v", e)
		}
	} else if !apierrors.IsResourceExpired(err) {
		t.Errorf("a watch from before: %v", err)
	}
	uninstall()
	if aside, err := os.ReadFile(filepath.Join(path, "damaged-journal-00000000")); err != nil || !bytes.Equal(aside, damaged) {
		t.Errorf("set aside: %d bytes, %v", len(aside), err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte("nothing of ours, and long enough"), 0o600); err != nil {
		t.Fatal(err)
	}
	sink, err := persist.OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	s, err = store.Open(store.Options{Sink: sink, Repair: true})
	if err == nil && len(s.Lost()) == 0 {
		t.Error("nothing was said of a journal that is nobody's")
	}
	if err == nil {
		_ = s.Close()
	}
}
