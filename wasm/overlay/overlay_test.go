package overlay

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// small makes a repository of one entry's surroundings.
func small(t *testing.T) (Dirs, Entry) {
	t.Helper()
	root := t.TempDir()
	d := DirsAt(root, filepath.Join(root, "go"))
	write(t, d.real("vendor/x/a.go"), "package x\n\n//go:build !windows\nvar a = 1\n")
	return d, Entry{
		Path:   "vendor/x/a.go",
		SHA256: []string{Hash([]byte("package x\n\n//go:build !windows\nvar a = 1\n"))},
		Edits:  []Edit{{"var a = 1", "var a = 2"}},
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := writeIfChanged(name, []byte(text)); err != nil {
		t.Fatal(err)
	}
}

func replacements(t *testing.T, d Dirs) map[string]string {
	t.Helper()
	b, err := os.ReadFile(d.JSON())
	if err != nil {
		t.Fatal(err)
	}
	var o struct{ Replace map[string]string }
	if err := json.Unmarshal(b, &o); err != nil {
		t.Fatal(err)
	}
	return o.Replace
}

func TestEditMakesAPatchedCopy(t *testing.T) {
	d, e := small(t)
	if err := Generate(d, []Entry{e}); err != nil {
		t.Fatal(err)
	}
	copied := replacements(t, d)[d.real(e.Path)]
	if b, err := os.ReadFile(copied); err != nil || !strings.Contains(string(b), "var a = 2") {
		t.Errorf("%s: %s, %v", copied, b, err)
	}
	if b, _ := os.ReadFile(d.real(e.Path)); !strings.Contains(string(b), "var a = 1") {
		t.Error("upstream's own file was changed")
	}
}

func TestUpgradeFailsByName(t *testing.T) {
	d, e := small(t)
	write(t, d.real(e.Path), "package x\n\n//go:build !windows\nvar a = 1 // now different\n")
	err := Generate(d, []Entry{e})
	var changed *HashError
	if !errors.As(err, &changed) || changed.File != e.Path {
		t.Fatalf("got %v", err)
	}
	for _, want := range []string{e.Path, changed.Found, e.SHA256[0], "what to do"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the message lacks %q:\n%v", want, err)
		}
	}
	if _, err := os.Stat(d.JSON()); err == nil {
		t.Error("an overlay was written all the same")
	}
}

func TestEditMustMatchExactlyOnce(t *testing.T) {
	for text, want := range map[string]string{"var b = 1": "found 0 times", "a": "found 4 times"} {
		d, e := small(t)
		e.Edits = []Edit{{text, "x"}}
		if err := Generate(d, []Entry{e}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v", text, err)
		}
	}
}

func TestTwinAndAddedFile(t *testing.T) {
	d, e := small(t)
	twin := Entry{Path: "vendor/x/a_js.go", From: e.Path, SHA256: e.SHA256, Edits: []Edit{{"!windows", "js"}}}
	added := Entry{Path: "GOROOT/src/y/y_js.go", From: e.Path, SHA256: e.SHA256, Added: true}
	if err := Generate(d, []Entry{twin, added}); err == nil || !strings.Contains(err.Error(), "find our file") {
		t.Errorf("our file is missing: %v", err)
	}
	ours := filepath.Join(d.Root, "wasm/overlay/_files/GOROOT/src/y/y_js.go")
	write(t, ours, "package y\n")
	if err := Generate(d, []Entry{twin, added}); err != nil {
		t.Fatal(err)
	}
	got := replacements(t, d)
	if got[filepath.Join(d.GOROOT, "src/y/y_js.go")] != ours {
		t.Errorf("got %v", got)
	}
	if b, err := os.ReadFile(got[d.real(twin.Path)]); err != nil || !strings.Contains(string(b), "//go:build js") {
		t.Errorf("twin: %s, %v", b, err)
	}
	write(t, d.real(twin.Path), "package x\n")
	if err := Generate(d, []Entry{twin}); err == nil || !strings.Contains(err.Error(), "upstream has this file now") {
		t.Errorf("upstream brought its own: %v", err)
	}
}

// The table itself: readable, and right for the toolchain and the dependencies at hand.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range slices.Concat(Table(), LinkerTable()) {
		if seen[e.Path] {
			t.Errorf("%s: twice in the table", e.Path)
		}
		seen[e.Path] = true
		if e.Missing == "" || e.Instead == "" {
			t.Errorf("%s: no reason", e.Path)
		}
		if e.Added && len(e.Edits) > 0 || e.Added && e.From == "" || !e.Added && e.From == "" && len(e.Edits) == 0 {
			t.Errorf("%s: neither an edit nor a twin nor an added file", e.Path)
		}
	}
	d, err := Find()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(d.Out, "vendor", "modules.txt")); err != nil {
		t.Skip("nothing is vendored yet; the build checks the same")
	}
	d.Out = t.TempDir()
	if err := os.Symlink(filepath.Join(d.Root, "out", "wasm", "vendor"), filepath.Join(d.Out, "vendor")); err != nil {
		t.Fatal(err)
	}
	if err := Generate(d, Table()); err != nil {
		t.Error(err)
	}
	if err := Generate(linkerDirs(d), LinkerTable()); err != nil {
		t.Error(err)
	}
}

// The hook's interface is declared on both sides of a linkname, where no compiler compares them.
func TestFileSystemIsTheSameOnBothSides(t *testing.T) {
	methods := func(file, begin string) map[string]bool {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, ok := strings.Cut(string(b), begin)
		if !ok {
			t.Fatalf("%s has no %q", file, begin)
		}
		body, _, _ := strings.Cut(rest, "\n}")
		set := map[string]bool{}
		for line := range strings.Lines(body) {
			line = strings.TrimSpace(line)
			if line != "" && !strings.HasPrefix(line, "//") {
				set[strings.ReplaceAll(line, "syscall.", "")] = true
			}
		}
		return set
	}
	theirs := methods("_files/GOROOT/src/syscall/files_js.go", "type fileSystem interface {")
	ours := methods("../goroot/files_js.go", "type FileSystem interface {")
	if len(ours) < 30 {
		t.Fatalf("only %d methods read", len(ours))
	}
	for m := range ours {
		if !theirs[m] {
			t.Errorf("GOROOT's side lacks %s", m)
		}
	}
	for m := range theirs {
		if !ours[m] {
			t.Errorf("wasm/goroot lacks %s", m)
		}
	}
}

func TestMirrorTouchesOnlyWhatDiffers(t *testing.T) {
	from, to := filepath.Join(t.TempDir(), "from"), filepath.Join(t.TempDir(), "to")
	write(t, filepath.Join(from, "same/a"), "1")
	write(t, filepath.Join(from, "same/b"), "new")
	write(t, filepath.Join(to, "same/a"), "1")
	write(t, filepath.Join(to, "same/b"), "old")
	write(t, filepath.Join(to, "gone/c"), "3")
	before, err := os.Stat(filepath.Join(to, "same/a"))
	if err != nil {
		t.Fatal(err)
	}
	if err := mirror(from, to); err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(filepath.Join(to, "same/a"))
	if err != nil || !after.ModTime().Equal(before.ModTime()) {
		t.Errorf("a file that was right was written again: %v", err)
	}
	if b, _ := os.ReadFile(filepath.Join(to, "same/b")); string(b) != "new" {
		t.Errorf("got %q", b)
	}
	if _, err := os.Stat(filepath.Join(to, "gone")); err == nil {
		t.Error("what upstream has no more is still there")
	}
}

// TestTwoEntriesOfAFile: the second would have stood in place of the first, in silence.
func TestTwoEntriesOfAFile(t *testing.T) {
	d, e := small(t)
	if err := Generate(d, []Entry{e, e}); err == nil || !strings.Contains(err.Error(), "two entries") {
		t.Errorf("Generate says %v", err)
	}
}
