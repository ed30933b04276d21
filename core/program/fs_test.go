package program_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/tabernetes/tabernetes/core/program"
)

// newFS is a root with a link out of a mount, a read-only mount behind a link, and a file mount.
func newFS(t *testing.T) (fsys *program.FS, root, vol string) {
	t.Helper()
	top := t.TempDir()
	root, vol = filepath.Join(top, "root"), filepath.Join(top, "vol")
	for _, dir := range []string{"etc", "run", "var", "home/u"} {
		mustDo(t, os.MkdirAll(filepath.Join(root, dir), 0o755))
	}
	mustDo(t, os.MkdirAll(filepath.Join(vol, "sub"), 0o755))
	mustDo(t, os.WriteFile(filepath.Join(top, "secret"), []byte("host"), 0o644))
	mustDo(t, os.WriteFile(filepath.Join(root, "etc/passwd"), []byte("root"), 0o644))
	mustDo(t, os.WriteFile(filepath.Join(vol, "token"), []byte("tok"), 0o644))
	mustDo(t, os.WriteFile(filepath.Join(top, "hosts"), []byte("hosts"), 0o644))
	mustDo(t, os.Symlink("/run", filepath.Join(root, "var/run")))
	mustDo(t, os.Symlink("../../../../../../secret", filepath.Join(root, "etc/escape")))
	mustDo(t, os.Symlink(filepath.Join(top, "secret"), filepath.Join(root, "etc/absolute")))
	mustDo(t, os.Symlink("/etc/passwd", filepath.Join(vol, "passwd")))
	mustDo(t, os.Symlink("loop", filepath.Join(root, "etc/loop")))
	mustDo(t, os.Symlink("new", filepath.Join(root, "etc/dangling")))
	return program.NewFS(root,
		program.Mount{Path: "/var/run/secrets/sa", HostPath: vol, ReadOnly: true},
		program.Mount{Path: "/etc/hosts", HostPath: filepath.Join(top, "hosts")},
		program.Mount{Path: "/data", HostPath: vol},
	), root, vol
}

func mustDo(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestReadThroughLinksAndMounts(t *testing.T) {
	fsys, _, _ := newFS(t)
	for name, want := range map[string]string{
		"/etc/passwd":                   "root",
		"/var/run/secrets/sa/token":     "tok",
		"/run/secrets/sa/token":         "tok",
		"/run/../run/secrets/sa/token":  "tok",
		"/var/run/../etc/passwd":        "root", // POSIX: the parent of /run
		"/data/passwd":                  "root", // an absolute link means the FS's root
		"/data/sub/../token":            "tok",
		"/data/../etc/hosts":            "hosts",
		"/../../../../../../etc/passwd": "root",
	} {
		data, err := fsys.ReadFile(name)
		if err != nil || string(data) != want {
			t.Errorf("ReadFile(%s) = %q, %v, want %q", name, data, err, want)
		}
	}
}

func TestNoWayOut(t *testing.T) {
	fsys, root, _ := newFS(t)
	for _, name := range []string{"/etc/escape", "/etc/absolute", "/../secret", "/data/../../secret"} {
		data, err := fsys.ReadFile(name)
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("ReadFile(%s) = %q, %v, want not exist", name, data, err)
		}
		if err != nil && strings.Contains(err.Error(), root) {
			t.Errorf("error tells the host's path: %v", err)
		}
	}
	mustDo(t, fsys.WriteFile("/etc/escape", []byte("x"), 0o644))
	if data, err := os.ReadFile(filepath.Join(root, "secret")); err != nil || string(data) != "x" {
		t.Errorf("a write through ../../secret should land in the root: %q, %v", data, err)
	}
	if data, _ := os.ReadFile(filepath.Join(filepath.Dir(root), "secret")); string(data) != "host" {
		t.Errorf("the file outside was changed to %q", data)
	}
	if _, err := fsys.ReadFile("/etc/loop"); !errors.Is(err, syscall.ELOOP) {
		t.Errorf("loop: %v, want ELOOP", err)
	}
}

func TestReadOnlyMount(t *testing.T) {
	fsys, _, vol := newFS(t)
	sa := "/run/secrets/sa"
	for what, err := range map[string]error{
		"WriteFile": fsys.WriteFile(sa+"/token", nil, 0o644),
		"create":    fsys.WriteFile(sa+"/new", nil, 0o644),
		"Mkdir":     fsys.Mkdir(sa+"/d", 0o755),
		"Remove":    fsys.Remove(sa + "/token"),
		"Rename":    fsys.Rename(sa+"/token", sa+"/t2"),
		"Symlink":   fsys.Symlink("x", sa+"/l"),
		"Chmod":     fsys.Chmod(sa+"/token", 0o600),
	} {
		if !errors.Is(err, syscall.EROFS) {
			t.Errorf("%s on a read-only mount: %v, want EROFS", what, err)
		}
	}
	mustDo(t, fsys.WriteFile("/data/new", []byte("n"), 0o644))
	if data, err := os.ReadFile(filepath.Join(vol, "new")); err != nil || string(data) != "n" {
		t.Errorf("write through the writable mount: %q, %v", data, err)
	}
}

func TestLastElement(t *testing.T) {
	fsys, root, _ := newFS(t)
	if target, err := fsys.Readlink("/var/run"); err != nil || target != "/run" {
		t.Errorf("Readlink = %q, %v", target, err)
	}
	info, err := fsys.Lstat("/var/run")
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("Lstat does not see the link: %v, %v", info, err)
	}
	if info, err = fsys.Lstat("/var/run/"); err != nil || !info.IsDir() {
		t.Errorf("Lstat with a trailing slash sees the link: %v, %v", info, err)
	}
	mustDo(t, fsys.WriteFile("/etc/dangling", []byte("x"), 0o644))
	if _, err := os.Lstat(filepath.Join(root, "etc/new")); err != nil {
		t.Errorf("a write to a dangling link makes its target: %v", err)
	}
	if _, err := fsys.OpenFile("/etc/dangling", os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644); !errors.Is(err, fs.ErrExist) {
		t.Errorf("O_EXCL follows a link: %v", err)
	}
	mustDo(t, fsys.Remove("/etc/dangling"))
	if _, err := fsys.Stat("/etc/new"); err != nil {
		t.Errorf("Remove followed the link: %v", err)
	}
	if _, err := fsys.Stat("/etc/passwd/x"); !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("a file as a directory: %v, want ENOTDIR", err)
	}
}

func TestMountPoints(t *testing.T) {
	fsys, _, _ := newFS(t)
	for _, name := range []string{"/data", "/etc/hosts", "/"} {
		if err := fsys.RemoveAll(name); !errors.Is(err, syscall.EBUSY) {
			t.Errorf("RemoveAll(%s) = %v, want EBUSY", name, err)
		}
	}
	if err := fsys.RemoveAll("/run"); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("RemoveAll above a mount = %v, want EBUSY", err)
	}
	if err := fsys.Rename("/data/token", "/etc/token"); !errors.Is(err, syscall.EXDEV) {
		t.Errorf("Rename out of a mount = %v, want EXDEV", err)
	}
	if err := fsys.Mkdir("/data", 0o755); !errors.Is(err, fs.ErrExist) {
		t.Errorf("Mkdir of a mount point = %v", err)
	}
	entries, err := fsys.ReadDir("/")
	mustDo(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if got := strings.Join(names, " "); got != "data etc home run var" {
		t.Errorf("ReadDir(/) = %s", got)
	}
	info, err := fsys.Stat("/etc/hosts")
	if err != nil || info.Size() != 5 || info.Name() != "hosts" {
		t.Errorf("a mounted file: %v, %v", info, err)
	}
}

// TestAFileWithoutEnd: a device has whatever name a pod gives it, /etc/passwd too.
func TestAFileWithoutEnd(t *testing.T) {
	fsys, root, _ := newFS(t)
	mustDo(t, os.Symlink("/dev/zero", filepath.Join(root, "etc/group")))
	for _, name := range []string{"/dev/zero", "/dev/random", "/etc/group"} {
		if data, err := fsys.ReadFile(name); !errors.Is(err, syscall.EFBIG) {
			t.Errorf("%s: %d bytes, error %v", name, len(data), err)
		}
	}
}

func TestDevices(t *testing.T) {
	fsys, _, _ := newFS(t)
	mustDo(t, fsys.WriteFile("/dev/null", []byte("gone"), 0o644))
	if data, err := fsys.ReadFile("/dev/null"); err != nil || len(data) > 0 {
		t.Errorf("/dev/null holds %q, %v", data, err)
	}
	info, err := fsys.Stat("/dev/null")
	if err != nil || info.Mode()&fs.ModeCharDevice == 0 {
		t.Errorf("/dev/null is %v, %v", info, err)
	}
	if err := fsys.WriteFile("/dev/full", []byte("x"), 0); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("/dev/full: %v, want ENOSPC", err)
	}
}
