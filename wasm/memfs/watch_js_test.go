package memfs_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

// patience is how long an event may take to come on a busy machine.
const patience = time.Minute

// awaited takes events until one is of that file and kind.
func awaited(t *testing.T, w *fsnotify.Watcher, name string, op fsnotify.Op) {
	t.Helper()
	for after := time.After(patience); ; {
		select {
		case e := <-w.Events:
			if e.Name == name && e.Has(op) {
				return
			}
		case <-after:
			t.Fatalf("nobody told of %s %s", op, name)
		}
	}
}

// TestWatchers: what upstream watches by fsnotify is looked at for all by one goroutine. Whoever does not take what it is
// told keeps nobody else waiting, and is told the rest when it does.
func TestWatchers(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "file")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	watch := func() *fsnotify.Watcher {
		t.Helper()
		w, err := fsnotify.NewWatcher()
		if err == nil {
			err = w.Add(dir)
		}
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	quick, slow := watch(), watch()
	write("a")
	awaited(t, quick, name, fsnotify.Create)
	write("another")
	awaited(t, quick, name, fsnotify.Write)
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	awaited(t, quick, name, fsnotify.Remove)
	awaited(t, slow, name, fsnotify.Create)
	awaited(t, slow, name, fsnotify.Remove)

	// One that ends while it has something to tell ends nevertheless, and the others go on.
	write("again")
	awaited(t, quick, name, fsnotify.Create)
	if err := slow.Close(); err != nil {
		t.Error(err)
	}
	if _, open := <-slow.Events; open {
		if _, open = <-slow.Events; open {
			t.Error("what is closed tells on")
		}
	}
	write("and again")
	awaited(t, quick, name, fsnotify.Write)
	if err := quick.Close(); err != nil {
		t.Error(err)
	}
	// Nobody watches: who comes later is told all the same.
	time.Sleep(time.Second)
	late := watch()
	defer late.Close()
	write("at last")
	awaited(t, late, name, fsnotify.Write)
}
