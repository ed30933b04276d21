package lesson_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/nodehost/lesson"
)

func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestStart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "first")
	if err := lesson.Start(dir); err != nil {
		t.Fatal(err)
	}
	l, err := lesson.Read(dir)
	if err != nil || len(l.Steps) != 2 {
		t.Fatal(l, err)
	}
	if err := lesson.Start(dir); err == nil || !strings.Contains(err.Error(), "there is a lesson already") {
		t.Fatal(err)
	}
}

// What a lesson names is looked for in its folder, and nowhere else.
func TestFilesOfElsewhere(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "secret.yaml")
	if err := os.WriteFile(outside, []byte("a: b"), 0o600); err != nil {
		t.Fatal(err)
	}
	front := "---\ntitle: T\nmanifests: [a.yaml]\n---\n## A\n![p](p.png) [g](guide:nobody)\n"
	dir := folder(t, map[string]string{lesson.Name: front})
	if err := os.Symlink(outside, filepath.Join(dir, "a.yaml")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "p.png"), 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := lesson.Read(dir)
	if err == nil {
		t.Fatal("read")
	}
	for _, want := range []string{"path escapes", "p.png is not a file", filepath.Join(dir, lesson.Name) + `:6: the guide has no chapter "nobody"`, filepath.Join(dir, lesson.Name) + ":1: "} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v: want %q", err, want)
		}
	}
	if _, err := lesson.File(dir, "a.yaml"); err == nil {
		t.Error("a link out of the folder was read")
	}
	if _, err := lesson.Read(t.TempDir()); err == nil || !strings.Contains(err.Error(), "nodehost lesson new") {
		t.Error(err)
	}
}
