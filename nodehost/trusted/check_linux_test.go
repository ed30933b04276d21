package trusted

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestWhoCanChangeAProgram(t *testing.T) {
	t.Setenv("SUDO_UID", "1234")
	root := t.TempDir()
	if err := Check(root); err != nil {
		t.Skipf("the directory for tests itself is others': %v", err)
	}
	make := func(t *testing.T, path string, dir, file os.FileMode) string {
		t.Helper()
		path = filepath.Join(root, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, 0o755), os.Chmod(path, file), os.Chmod(filepath.Dir(path), dir)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	link := func(t *testing.T, to, name string, dir os.FileMode) string {
		t.Helper()
		name = filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.Symlink(to, name), os.Chmod(filepath.Dir(name), dir)); err != nil {
			t.Fatal(err)
		}
		return name
	}
	owner := func(t *testing.T, path string, uid, gid int) string {
		t.Helper()
		if os.Geteuid() != 0 {
			t.Skip("root is needed to give files away")
		}
		if err := os.Lchown(path, uid, gid); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := make(t, "good/p", 0o755, 0o755)
	planted := make(t, "planted/p", os.ModeSticky|0o777, 0o755)
	for name, c := range map[string]struct {
		path func(t *testing.T) string
		ok   bool
	}{
		"the owner's alone":                {func(*testing.T) string { return good }, true},
		"not there":                        {func(*testing.T) string { return filepath.Join(root, "good", "x", "y") }, true},
		"a file of everybody":              {func(t *testing.T) string { return make(t, "a/p", 0o755, 0o757) }, false},
		"a directory of everybody":         {func(t *testing.T) string { return make(t, "b/p", 0o757, 0o755) }, false},
		"a directory above":                {func(t *testing.T) string { make(t, "c/p", 0o777, 0o755); return make(t, "c/d/p", 0o755, 0o755) }, false},
		"a directory like /tmp":            {func(t *testing.T) string { return make(t, "d/p", os.ModeSticky|0o777, 0o755) }, true},
		"planted in a directory like /tmp": {func(t *testing.T) string { return owner(t, planted, 4321, 4321) }, false},
		"of who typed sudo":                {func(t *testing.T) string { return owner(t, make(t, "e/p", 0o755, 0o755), 1234, 1234) }, true},
		"a directory of another user": {func(t *testing.T) string {
			return filepath.Join(owner(t, filepath.Dir(make(t, "f/p", 0o755, 0o755)), 4321, 0), "p")
		}, false},
		"a group's":                            {func(t *testing.T) string { return owner(t, make(t, "g/p", 0o755, 0o775), 0, 4321) }, false},
		"root's group's":                       {func(t *testing.T) string { return owner(t, make(t, "h/p", 0o755, 0o775), 0, 0) }, true},
		"a link from a directory of everybody": {func(t *testing.T) string { return link(t, good, "i/p", 0o777) }, false},
		"a link into a directory of everybody": {func(t *testing.T) string { return link(t, make(t, "j/p", 0o777, 0o755), "k/p", 0o755) }, false},
		"a link on the way":                    {func(t *testing.T) string { return filepath.Join(link(t, "../good", "l/d", 0o755), "p") }, true},
		"somebody's link in a /tmp":            {func(t *testing.T) string { return owner(t, link(t, good, "m/p", os.ModeSticky|0o777), 4321, 4321) }, false},
		"a link to itself":                     {func(t *testing.T) string { return link(t, "p", "n/p", 0o755) }, false},
		"not absolute":                         {func(*testing.T) string { return "p" }, false},
	} {
		t.Run(name, func(t *testing.T) {
			if err := Check(c.path(t)); (err == nil) != c.ok {
				t.Errorf("%v", err)
			}
		})
	}
	if os.Geteuid() == 0 {
		f, err := os.Open(planted)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := CheckFile(f); !errors.Is(err, ErrOthers) {
			t.Errorf("an open file of another user: %v", err)
		}
	}
}
