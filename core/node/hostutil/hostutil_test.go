package hostutil

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	upstream "k8s.io/kubernetes/pkg/volume/util/hostutil"
)

func TestFileTypes(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := os.WriteFile(file, nil, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	var hu HostUtil
	for path, want := range map[string]upstream.FileType{
		file: upstream.FileTypeFile,
		dir:  upstream.FileTypeDirectory,
		link: upstream.FileTypeDirectory,
	} {
		if got, err := hu.GetFileType(path); err != nil || got != want {
			t.Errorf("GetFileType(%s) = %q, %v; want %q", path, got, err, want)
		}
	}
	if _, err := hu.GetFileType(filepath.Join(dir, "absent")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("absent: %v", err)
	}
	if ok, err := hu.PathExists(filepath.Join(dir, "absent")); ok || err != nil {
		t.Errorf("PathExists(absent) = %v, %v", ok, err)
	}
	if mode, err := hu.GetMode(file); err != nil || mode.Perm() != 0o640 {
		t.Errorf("GetMode = %v, %v", mode, err)
	}
	if uid, _, err := hu.GetOwner(file); err != nil || uid != int64(os.Getuid()) {
		t.Errorf("GetOwner = %d, %v", uid, err)
	}
}
