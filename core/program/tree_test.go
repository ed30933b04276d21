package program

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

// bothTrees runs a test with openat(2), where the system has it, and, as in the tab, without.
func bothTrees(t *testing.T, test func(t *testing.T)) {
	for name, has := range map[string]bool{"openat": true, "paths": false} {
		if has && !openat {
			continue // js: os.Root goes by paths there, and nothing uses it
		}
		t.Run(name, func(t *testing.T) {
			old := openat
			openat = has
			defer func() { openat = old }()
			test(t)
		})
	}
}

// volume is a root and a volume of a pod on /data, with a directory in it, beside what is the
// machine's.
func volume(t *testing.T) (root, vol, machine string) {
	top := t.TempDir()
	root, vol, machine = filepath.Join(top, "root"), filepath.Join(top, "vol"), filepath.Join(top, "etc")
	for _, dir := range []string{root, machine, filepath.Join(vol, "d")} {
		must(t, os.MkdirAll(dir, 0o755))
	}
	must(t, os.WriteFile(filepath.Join(vol, "d/f"), []byte("mine"), 0o644))
	must(t, os.WriteFile(filepath.Join(machine, "f"), []byte("the machine's"), 0o644))
	return root, vol, machine
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestALinkThatIsSwappedInDoesNotLeadOut has one process of a pod put a link in the place of a
// directory, again and again, while another reads and writes below it.
func TestALinkThatIsSwappedInDoesNotLeadOut(t *testing.T) {
	bothTrees(t, func(t *testing.T) {
		root, vol, machine := volume(t)
		f := NewFS(root, Mount{Path: "/data", HostPath: vol})
		rename := f.Rename
		if openat { // not even one who does not come through an FS
			rename = func(from, to string) error {
				return os.Rename(filepath.Join(vol, filepath.Base(from)), filepath.Join(vol, filepath.Base(to)))
			}
		}
		must(t, os.Symlink(machine, filepath.Join(vol, "link")))
		stop := make(chan struct{})
		var swapping sync.WaitGroup
		swapping.Go(func() {
			for {
				for _, pair := range [][2]string{{"d", "away"}, {"link", "d"}, {"d", "link"}, {"away", "d"}} {
					if err := rename("/data/"+pair[0], "/data/"+pair[1]); err != nil {
						t.Error(err)
						return
					}
					runtime.Gosched() // js has one thread, and takes it from nobody
				}
				select {
				case <-stop:
					return
				default:
				}
			}
		})
		for range 2_000 {
			if data, err := f.ReadFile("/data/d/f"); err == nil && string(data) != "mine" {
				t.Errorf("read %q", data)
				break
			}
			_ = f.WriteFile("/data/d/new", []byte("x"), 0o644)
			_ = f.Remove("/data/d/f2")
			_ = f.Link("/data/d/new", "/data/d/f2")
			runtime.Gosched()
		}
		close(stop)
		swapping.Wait()
		if entries, _ := os.ReadDir(machine); len(entries) != 1 {
			t.Errorf("made outside: %v", entries)
		}
	})
}

// TestAMountStaysWhatWasMounted has a pod replace the directory that another container has
// mounted (by subPath) by a link.
func TestAMountStaysWhatWasMounted(t *testing.T) {
	bothTrees(t, func(t *testing.T) {
		root, vol, machine := volume(t)
		f := NewFS(root, Mount{Path: "/sub", HostPath: filepath.Join(vol, "d")})
		if data, err := f.ReadFile("/sub/f"); err != nil || string(data) != "mine" {
			t.Fatalf("%q, %v", data, err)
		}
		must(t, os.Rename(filepath.Join(vol, "d"), filepath.Join(vol, "away")))
		must(t, os.Symlink(machine, filepath.Join(vol, "d")))
		if data, err := f.ReadFile("/sub/f"); err == nil && string(data) != "mine" {
			t.Errorf("read %q", data)
		}
		if err := f.WriteFile("/sub/new", nil, 0o644); openat && err != nil {
			t.Errorf("the mount is lost: %v", err)
		}
		if _, err := os.Lstat(filepath.Join(machine, "new")); !errors.Is(err, fs.ErrNotExist) {
			t.Error("wrote to the machine")
		}
	})
}

func TestAMountLiesWithinItsBounds(t *testing.T) {
	bothTrees(t, func(t *testing.T) {
		root, vol, machine := volume(t)
		must(t, os.Symlink(machine, filepath.Join(vol, "out")))
		for _, outside := range []string{machine, filepath.Join(vol, "out"), filepath.Join(machine, "f")} {
			f := NewFS(root, Mount{Path: "/data", HostPath: outside, Within: vol})
			if entries, err := f.ReadDir("/data"); err == nil {
				t.Errorf("%s is mounted: %v", outside, entries)
			}
		}
		f := NewFS(root, Mount{Path: "/data", HostPath: filepath.Join(vol, "d"), Within: vol})
		if data, err := f.ReadFile("/data/f"); err != nil || string(data) != "mine" {
			t.Errorf("within: %q, %v", data, err)
		}
	})
}
