package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// lay makes a module's folder with files.
func lay(t *testing.T, path string, files map[string]string) module {
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return module{Path: path, Version: "v1.0.0", Dir: dir}
}

func TestEachTextOnce(t *testing.T) {
	got, err := licences([]module{
		lay(t, "one.example/a", map[string]string{"LICENSE": "be good\n", "license.go": "package license", "README": "no"}),
		lay(t, "two.example/b", map[string]string{"COPYING.md": "be good\r\n", "NOTICE": "made by b"}),
		lay(t, "three.example/c", map[string]string{"LICENCE.txt": "be better"}),
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"one.example/a v1.0.0\ntwo.example/b v1.0.0\n\nbe good\n",
		"two.example/b v1.0.0\n\nmade by b\n",
		"three.example/c v1.0.0\n\nbe better\n",
	} {
		if strings.Count(got, want) != 1 {
			t.Errorf("%q is there %d times in:\n%s", want, strings.Count(got, want), got)
		}
	}
	if strings.Contains(got, "package license") {
		t.Error("a program is taken for a licence")
	}
}

func TestNoLeave(t *testing.T) {
	for name, m := range map[string]module{
		"nothing but a notice": lay(t, "one.example/a", map[string]string{"NOTICE": "mine"}),
		"no folder":            {Path: "one.example/a", Dir: filepath.Join(t.TempDir(), "gone")},
	} {
		if _, err := licences([]module{m}); err == nil || !strings.Contains(err.Error(), "one.example/a") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What is really compiled has a text each.
func TestOurs(t *testing.T) {
	t.Chdir("../..")
	modules, err := compiled()
	if err != nil {
		t.Fatal(err)
	}
	text, err := licences(modules)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\nk8s.io/kubernetes v", "\ngithub.com/tidwall/buntdb v", "Permission is hereby granted"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing among %d modules", want, len(modules))
		}
	}
}
