package subpath

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	upstream "k8s.io/kubernetes/pkg/volume/util/subpath"

	"github.com/tabernetes/tabernetes/core/program"
)

type layout struct{ pod, volume string }

// newLayout is a pod's directory with one volume, laid out as the kubelet does
// for a ConfigMap: the keys are links into a directory that an update replaces.
func newLayout(t *testing.T) layout {
	t.Helper()
	pod := filepath.Join(t.TempDir(), "pods", "uid")
	l := layout{pod: pod, volume: filepath.Join(pod, "volumes", "kubernetes.io~configmap", "cfg")}
	must(t, os.MkdirAll(filepath.Join(l.volume, "..v1"), 0o755))
	must(t, os.WriteFile(filepath.Join(l.volume, "..v1", "app.conf"), []byte("one"), 0o644))
	must(t, os.Symlink("..v1", filepath.Join(l.volume, "..data")))
	must(t, os.Symlink(filepath.Join("..data", "app.conf"), filepath.Join(l.volume, "app.conf")))
	return l
}

func (l layout) subpath(path string) upstream.Subpath {
	return upstream.Subpath{
		Path: filepath.Join(l.volume, path), VolumePath: l.volume, VolumeName: "cfg",
		PodDir: l.pod, ContainerName: "web", VolumeMountIndex: 2,
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestFileStaysAsItWasMounted(t *testing.T) {
	l := newLayout(t)
	path, _, err := Subpather{}.PrepareSafeSubpath(l.subpath("app.conf"))
	must(t, err)

	// The AtomicWriter's update: a new directory, the link swapped, the old one removed.
	must(t, os.Mkdir(filepath.Join(l.volume, "..v2"), 0o755))
	must(t, os.WriteFile(filepath.Join(l.volume, "..v2", "app.conf"), []byte("two"), 0o644))
	must(t, os.Symlink("..v2", filepath.Join(l.volume, "..tmp")))
	must(t, os.Rename(filepath.Join(l.volume, "..tmp"), filepath.Join(l.volume, "..data")))
	must(t, os.RemoveAll(filepath.Join(l.volume, "..v1")))

	if got, err := os.ReadFile(path); err != nil || string(got) != "one" {
		t.Fatalf("mounted file = %q, %v; want what it was at the start", got, err)
	}
	// A restarted container gets today's file.
	path, _, err = Subpather{}.PrepareSafeSubpath(l.subpath("app.conf"))
	must(t, err)
	if got, err := os.ReadFile(path); err != nil || string(got) != "two" {
		t.Fatalf("after restart = %q, %v", got, err)
	}

	must(t, Subpather{}.CleanSubPaths(l.pod, "cfg"))
	if _, err := os.Lstat(filepath.Join(l.pod, containerSubpaths)); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("pins after clean: %v", err)
	}
	if got, err := os.ReadFile(filepath.Join(l.volume, "app.conf")); err != nil || string(got) != "two" {
		t.Fatalf("volume after clean: %q, %v", got, err)
	}
	must(t, Subpather{}.CleanSubPaths(l.pod, "cfg")) // nothing left is no error
}

func TestSubpathMayNotLeaveTheVolume(t *testing.T) {
	l := newLayout(t)
	outside := t.TempDir()
	must(t, os.WriteFile(filepath.Join(outside, "shadow"), []byte("root"), 0o600))
	must(t, os.Symlink(outside, filepath.Join(l.volume, "out")))
	must(t, os.Symlink("../../..", filepath.Join(l.volume, "up")))
	must(t, os.Symlink(program.SealLink(outside), filepath.Join(l.volume, "pods")))
	must(t, os.Symlink(program.SealLink("/nowhere"), filepath.Join(l.volume, "none")))
	must(t, os.Symlink(program.SealLink("../.."), filepath.Join(l.volume, "pods-up")))
	for _, path := range []string{"out", "out/shadow", "up", "up/volumes", "pods", "pods/shadow", "none", "pods-up", "pods-up/kubernetes.io~configmap"} {
		if got, _, err := (Subpather{}).PrepareSafeSubpath(l.subpath(path)); !errors.Is(err, ErrEscapes) {
			t.Errorf("PrepareSafeSubpath(%s) = %q, %v; want ErrEscapes", path, got, err)
		}
	}
}

// TestALinkOfAPodsIsFollowed: upwards, as on a machine, while it stays in the volume.
func TestALinkOfAPodsIsFollowed(t *testing.T) {
	l := newLayout(t)
	must(t, os.MkdirAll(filepath.Join(l.volume, "a/b"), 0o755))
	must(t, os.MkdirAll(filepath.Join(l.volume, "c"), 0o755))
	must(t, os.Symlink(program.SealLink("../../c"), filepath.Join(l.volume, "a/b/l")))
	must(t, os.Symlink(program.SealLink("../loop/x"), filepath.Join(l.volume, "loop")))
	if got, _, err := (Subpather{}).PrepareSafeSubpath(l.subpath("a/b/l")); err != nil || got != filepath.Join(l.volume, "c") {
		t.Errorf("%q, %v", got, err)
	}
	if got, _, err := (Subpather{}).PrepareSafeSubpath(l.subpath("loop")); err == nil {
		t.Errorf("a loop leads to %q", got)
	}
	must(t, Subpather{}.SafeMakeDir("a/b/l/d", l.volume, 0o755))
	if info, err := os.Stat(filepath.Join(l.volume, "c/d")); err != nil || !info.IsDir() {
		t.Errorf("%v, %v", info, err)
	}
}

func TestSafeMakeDir(t *testing.T) {
	l := newLayout(t)
	outside := t.TempDir()
	must(t, os.Symlink(outside, filepath.Join(l.volume, "out")))
	must(t, os.MkdirAll(filepath.Join(l.volume, "real"), 0o755))
	must(t, os.Symlink("real", filepath.Join(l.volume, "in")))

	for path, want := range map[string]string{"a/b/c": "a/b/c", "in/d": "real/d", "real": "real"} {
		must(t, Subpather{}.SafeMakeDir(path, l.volume, 0o777))
		info, err := os.Stat(filepath.Join(l.volume, want))
		if err != nil || !info.IsDir() {
			t.Errorf("%s: %v, %v", path, info, err)
		} else if path != "real" && info.Mode().Perm() != 0o777 {
			t.Errorf("%s: mode %v, umask counted", path, info.Mode())
		}
	}
	for _, path := range []string{"out/x", "../elsewhere"} {
		if err := (Subpather{}).SafeMakeDir(path, l.volume, 0o777); !errors.Is(err, ErrEscapes) {
			t.Errorf("SafeMakeDir(%s) = %v; want ErrEscapes", path, err)
		}
	}
	if err := (Subpather{}).SafeMakeDir("app.conf", l.volume, 0o777); err == nil {
		t.Error("a file was taken for a directory")
	}
	if entries, _ := os.ReadDir(outside); len(entries) != 0 {
		t.Errorf("made outside of the volume: %v", entries)
	}
}
