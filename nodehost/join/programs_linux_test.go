package join

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/nodehost/trusted"
)

// installed is a directory with programs, as somebody has put them on a machine.
func installed(t *testing.T, plugin string) (dir string, self func() (string, error)) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range map[string]string{programName: "program", pluginName: plugin} {
		if text == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := trusted.Check(dir); err != nil {
		t.Skipf("the directory for tests itself is others': %v", err)
	}
	return dir, func() (string, error) { return filepath.Join(dir, programName), nil }
}

// What somebody else has planted beside nodehost is not made root's program.
func TestPlantedPrograms(t *testing.T) {
	for name, plant := range map[string]func(dir string) error{
		"a directory of everybody": func(dir string) error { return os.Chmod(dir, 0o777) },
		"a plugin of everybody":    func(dir string) error { return os.Chmod(filepath.Join(dir, pluginName), 0o777) },
		"a program of everybody":   func(dir string) error { return os.Chmod(filepath.Join(dir, programName), 0o777) },
		"another user's, as in /tmp": func(dir string) error {
			return errors.Join(os.Chmod(dir, os.ModeSticky|0o777), os.Chown(filepath.Join(dir, pluginName), 4321, 4321))
		},
		"a link to another user's": func(dir string) error {
			theirs := filepath.Join(dir, "theirs")
			return errors.Join(os.Rename(filepath.Join(dir, pluginName), theirs), os.Chmod(theirs, 0o757), os.Symlink(theirs, filepath.Join(dir, pluginName)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, self := installed(t, "mark")
			o := joining(t.TempDir()).Options
			if _, err := o.findPrograms(self); err != nil {
				t.Fatalf("before: %v", err)
			}
			if err := plant(dir); errors.Is(err, os.ErrPermission) {
				t.Skip("root is needed to give files away")
			} else if err != nil {
				t.Fatal(err)
			}
			if _, err := o.findPrograms(self); !errors.Is(err, trusted.ErrOthers) || !strings.Contains(err.Error(), "sudo install") {
				t.Errorf("it is taken: %v", err)
			}
		})
	}
}

// The copies follow what joins: a newer pair, one without the small program, and the copy itself.
func TestCopiesOfPrograms(t *testing.T) {
	n := joining(t.TempDir())
	read := func(name string) string {
		t.Helper()
		b, err := os.ReadFile(filepath.Join(n.Place.Bin(), name))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		return string(b)
	}
	install := func(self func() (string, error), service bool) {
		t.Helper()
		p, err := n.findPrograms(self)
		if err == nil {
			err = p.install(n.Place, service)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	running, err := os.ReadFile(selfPath)
	if err != nil {
		t.Fatal(err)
	}

	_, first := installed(t, "plugin 1")
	install(first, false)
	if read(pluginName) != "plugin 1" || read(programName) != "" || filepath.Base(pluginPath(n.Place)) != pluginName {
		t.Error("the plugin was not copied, or more than that")
	}
	_, second := installed(t, "plugin 2 is newer")
	install(second, true)
	if read(pluginName) != "plugin 2 is newer" || read(programName) != string(running) {
		t.Error("a newer plugin, and the program for systemd: not what joined last")
	}
	install(func() (string, error) { return filepath.Join(n.Place.Bin(), programName), nil }, true)
	if read(pluginName) != "plugin 2 is newer" || read(programName) != string(running) {
		t.Error("the copy has changed itself")
	}
	_, third := installed(t, "")
	install(third, false)
	if read(pluginName) != "" || read(programName) != string(running) || filepath.Base(pluginPath(n.Place)) != programName {
		t.Error("without the small program it is not the whole one that is called")
	}
	for _, name := range []string{programName} {
		if st, err := os.Stat(filepath.Join(n.Place.Bin(), name)); err != nil || st.Mode() != 0o755 {
			t.Errorf("%s: %v, %v", name, st.Mode(), err)
		}
	}
}
