package keptdisk

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/store/persist"
)

func sinkAt(t *testing.T, dir string) persist.Sink {
	t.Helper()
	sink, err := persist.OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { sink.Close() })
	return sink
}

func open(t *testing.T, sink persist.Sink, o Options) *Disk {
	t.Helper()
	d, lost, err := Open(sink, o)
	if err != nil || lost != nil {
		t.Fatalf("%v, %v", lost, err)
	}
	return d
}

func write(t *testing.T, file string, content []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, content, 0o640); err != nil {
		t.Fatal(err)
	}
}

// content is everything below a directory, as text.
func content(t *testing.T, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(root, func(file string, item fs.DirEntry, err error) error {
		if err != nil || file == root {
			return err
		}
		info, err := item.Info()
		if err != nil {
			return err
		}
		text := ""
		switch {
		case info.Mode().IsRegular():
			b, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			text = string(b)
		case info.Mode()&fs.ModeSymlink != 0:
			if text, err = os.Readlink(file); err != nil {
				return err
			}
			all[file[len(root):]] = "-> " + text
			return nil
		}
		all[file[len(root):]] = info.Mode().String() + " " + text
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestADiskThereAndBack changes files at random, and after each look has them put back elsewhere.
func TestADiskThereAndBack(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	kept, root := t.TempDir(), t.TempDir()
	sink := sinkAt(t, kept)
	d := open(t, sink, Options{Root: root})
	for step := range 60 {
		for range 4 {
			file := filepath.Join(root, fmt.Sprintf("node-%d/data/%d", random.IntN(2), random.IntN(4)))
			switch random.IntN(9) {
			case 0:
				os.RemoveAll(file)
			case 1:
				os.RemoveAll(filepath.Dir(file))
			case 2:
				os.RemoveAll(file)
				write(t, filepath.Join(file, "below"), []byte("x"))
			case 3:
				os.RemoveAll(file)
				os.MkdirAll(filepath.Dir(file), 0o755)
				if err := os.Symlink(program.SealLink("/etc/passwd"), file); err != nil {
					t.Fatal(err)
				}
			case 4: // within the same tick, perhaps, and of the same length
				if f, err := os.OpenFile(file, os.O_WRONLY, 0); err == nil && !strings.HasPrefix(content(t, root)[file[len(root):]], "->") {
					f.WriteAt([]byte{byte(step)}, int64(random.IntN(1000)))
					f.Close()
				}
			case 5:
				if info, err := os.Lstat(file); err == nil && info.Mode().IsRegular() {
					os.Chmod(file, 0o600)
				}
			default:
				os.RemoveAll(file)
				write(t, file, bytes.Repeat([]byte{byte(step), 1, 2}, random.IntN(3*chunkSize)))
			}
		}
		d.Look()
		back := t.TempDir()
		text, err := os.ReadFile(filepath.Join(kept, fileName(d.gen)))
		if err != nil {
			t.Fatal(err)
		}
		copied := t.TempDir()
		write(t, filepath.Join(copied, fileName(d.gen)), text)
		open(t, sinkAt(t, copied), Options{Root: back})
		if want, got := content(t, root), content(t, back); !maps.Equal(want, got) {
			for name := range want {
				if want[name] != got[name] {
					t.Errorf("step %d: %s differs: %.40q, want %.40q", step, name, got[name], want[name])
				}
			}
			t.Fatalf("step %d: %d entries, want %d", step, len(got), len(want))
		}
	}
	if d.gen < 3 {
		t.Errorf("generation %d: no file was begun anew", d.gen)
	}
	if gens, _ := generations(sink); len(gens) != 1 {
		t.Errorf("files %v", gens)
	}
}

// TestATornDisk cuts the file at each byte of its last records, and turns bits of it: what was written
// before is there, and it is said that something is not.
func TestATornDisk(t *testing.T) {
	kept, root := t.TempDir(), t.TempDir()
	d := open(t, sinkAt(t, kept), Options{Root: root})
	write(t, filepath.Join(root, "before"), []byte("kept"))
	d.Look()
	before := d.end
	write(t, filepath.Join(root, "last"), bytes.Repeat([]byte("x"), 300))
	d.Look()
	text, err := os.ReadFile(filepath.Join(kept, fileName(d.gen)))
	if err != nil {
		t.Fatal(err)
	}
	try := func(text []byte, damaged bool, what string) {
		t.Helper()
		copied, back := t.TempDir(), t.TempDir()
		write(t, filepath.Join(copied, fileName(7)), text)
		_, lost, err := Open(sinkAt(t, copied), Options{Root: back})
		if err != nil || (lost != nil) != damaged {
			t.Fatalf("%s: %v, %v", what, lost, err)
		}
		if got, err := os.ReadFile(filepath.Join(back, "before")); string(got) != "kept" || err != nil {
			t.Fatalf("%s: %q, %v", what, got, err)
		}
	}
	try(text, false, "whole")
	for cut := int(before) + 1; cut < len(text); cut += 7 {
		torn := true
		for rest := text[before:cut]; ; {
			_, length, err := parse(rest)
			if err != nil {
				torn = len(rest) > 0
				break
			}
			rest = rest[length:]
		}
		try(text[:cut], torn, fmt.Sprintf("cut at %d", cut))
	}
	for at := int(before); at < len(text); at += 11 {
		flipped := bytes.Clone(text)
		flipped[at] ^= 4
		try(flipped, true, fmt.Sprintf("turned at %d", at))
	}
}

// TestAFileThatWasNeverCompleted: the one before counts.
func TestAFileThatWasNeverCompleted(t *testing.T) {
	kept, root := t.TempDir(), t.TempDir()
	d := open(t, sinkAt(t, kept), Options{Root: root})
	write(t, filepath.Join(root, "a"), []byte("kept"))
	d.Look()
	half := record{kind: kindFile, path: "a", mode: 0o600}.append([]byte(magic))
	write(t, filepath.Join(kept, fileName(d.gen+1)), half)
	back := t.TempDir()
	open(t, sinkAt(t, copyOf(t, kept)), Options{Root: back})
	if got, err := os.ReadFile(filepath.Join(back, "a")); string(got) != "kept" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// TestADiskOfANewerVersion is left as it is, and not taken up without its newest files.
func TestADiskOfANewerVersion(t *testing.T) {
	kept, root := t.TempDir(), t.TempDir()
	d := open(t, sinkAt(t, kept), Options{Root: root})
	write(t, filepath.Join(root, "a"), []byte("kept"))
	d.Look()
	newer := record{kind: kindFile, path: "a", mode: 0o600}.append([]byte(magic[:len(magic)-1] + "\x02"))
	write(t, filepath.Join(kept, fileName(d.gen+1)), newer)
	there := copyOf(t, kept)
	before, _ := os.ReadDir(there)
	back := t.TempDir()
	if _, _, err := Open(sinkAt(t, there), Options{Root: back}); !errors.Is(err, persist.ErrNewer) {
		t.Fatal(err)
	}
	after, _ := os.ReadDir(there)
	if len(before) != len(after) {
		t.Errorf("%v, and was %v", after, before)
	}
	for _, item := range before {
		was, _ := os.ReadFile(filepath.Join(kept, item.Name()))
		if is, err := os.ReadFile(filepath.Join(there, item.Name())); err != nil || !bytes.Equal(is, was) {
			t.Errorf("%s: %v", item.Name(), err)
		}
	}
}

func copyOf(t *testing.T, dir string) string {
	t.Helper()
	to := t.TempDir()
	items, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range items {
		b, err := os.ReadFile(filepath.Join(dir, item.Name()))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(to, item.Name()), b)
	}
	return to
}

// TestADiskThatSomebodyElseWrote: another page of the same origin can write there, too.
func TestADiskThatSomebodyElseWrote(t *testing.T) {
	outside := t.TempDir()
	b := []byte(magic)
	for _, r := range []record{
		{kind: kindFile, path: "../out", mode: 0o600, size: 1},
		{kind: kindFile, path: "/abs", mode: 0o600, size: 1},
		{kind: kindFile, path: "a/../../out", mode: 0o600, size: 1},
		{kind: kindLink, path: "away", data: []byte(outside)},
		{kind: kindFile, path: "away/out", mode: 0o600, size: 1},
		{kind: kindDir, path: "away/dir", mode: 0o755},
		{kind: kindFile, path: "huge", mode: 0o600, size: 1 << 60},
		{kind: kindChunk, path: "none", offset: 1 << 60, data: []byte("x")},
		{kind: kindFile, path: "device", mode: fs.ModeDevice | 0o600, size: 1},
		{kind: kindFile, path: "fine", mode: 0o600, size: 2},
		{kind: kindChunk, path: "fine", offset: 1, data: []byte("xyz")},
		{kind: 'Z', path: "unknown"},
		{kind: kindWhole, path: "."},
	} {
		b = r.append(b)
	}
	kept, parent := t.TempDir(), t.TempDir()
	write(t, filepath.Join(kept, fileName(1)), b)
	root := filepath.Join(parent, "nodes")
	if _, _, err := Open(sinkAt(t, kept), Options{Root: root}); err == nil {
		if got, err := os.ReadFile(filepath.Join(root, "fine")); err != nil || !bytes.Equal(got, []byte{0, 0}) {
			t.Errorf("fine is %q, %v", got, err)
		}
	}
	for _, dir := range []string{outside, parent} {
		if items, _ := os.ReadDir(dir); len(items) > 1 || dir == outside && len(items) > 0 {
			t.Errorf("%s has %v", dir, items)
		}
	}
}

// TestALinkThatIsTakenUpLeadsNowhereElse: links of the kubelet and of programs stay as they are.
func TestALinkThatIsTakenUpLeadsNowhereElse(t *testing.T) {
	kept, root := t.TempDir(), t.TempDir()
	want := map[string]bool{ // whether it is sealed
		"/etc/passwd": true, "/": true, root + "x/y": true, root + "/../y": true, "../../x": true, "a/../../x": true, "..": true,
		root + "/node-1/volume": false, "../pods/web/0.log": false, "..data/key": false, "beside": false,
	}
	b := record{kind: kindDir, path: "node-1", mode: 0o755}.append([]byte(magic))
	for _, target := range slices.Sorted(maps.Keys(want)) {
		b = record{kind: kindLink, path: fmt.Sprintf("node-1/%x", target), data: []byte(target)}.append(b)
	}
	b = record{kind: kindLink, path: "up", data: []byte("../beside-the-nodes")}.append(b)
	b = record{kind: kindLink, path: "program's", data: []byte(program.SealLink("/etc"))}.append(b)
	write(t, filepath.Join(kept, fileName(1)), record{kind: kindWhole, path: "."}.append(b))
	open(t, sinkAt(t, kept), Options{Root: root})
	for target, sealed := range want {
		got, err := os.Readlink(filepath.Join(root, fmt.Sprintf("node-1/%x", target)))
		if err != nil || program.LinkIsSealed(got) != sealed || !sealed && got != target {
			t.Errorf("%s is %q, %v", target, got, err)
		}
	}
	for name, target := range map[string]string{"up": "../beside-the-nodes", "program's": "/etc"} {
		if got, err := os.Readlink(filepath.Join(root, name)); err != nil || got != program.SealLink(target) {
			t.Errorf("%s is %q, %v", name, got, err)
		}
	}
}

// TestADiskIsBounded: what is too much is left out, that is told once, and when there is room again.
func TestADiskIsBounded(t *testing.T) {
	kept, root := t.TempDir(), t.TempDir()
	var told []error
	d := open(t, sinkAt(t, kept), Options{
		Root: root, MaxBytes: 1 << 20, Tell: func(err error) { told = append(told, err) },
		Low:  func(path string) bool { return strings.HasPrefix(path, "log") },
		Skip: func(path string) bool { return path == "skipped" },
	})
	write(t, filepath.Join(root, "first"), make([]byte, 600<<10))
	write(t, filepath.Join(root, "skipped/large"), make([]byte, 5<<20))
	write(t, filepath.Join(root, "log"), make([]byte, 300<<10))
	d.Look()
	if len(told) != 0 {
		t.Fatalf("told %v", told)
	}
	write(t, filepath.Join(root, "second"), make([]byte, 600<<10))
	for range 3 {
		d.Look()
	}
	if len(told) != 1 || told[0] == nil || !strings.Contains(told[0].Error(), "second") {
		t.Fatalf("told %v", told)
	}
	for i := range 40 { // the file stays bounded as well
		write(t, filepath.Join(root, "first"), bytes.Repeat([]byte{byte(i)}, 600<<10))
		d.Look()
	}
	if d.end > 8<<20 {
		t.Errorf("the file has %d bytes", d.end)
	}
	back := t.TempDir()
	open(t, sinkAt(t, copyOf(t, kept)), Options{Root: back, MaxBytes: 1 << 20})
	if got := content(t, back); len(got) != 1 || got["/first"] == "" {
		t.Errorf("there are %v", len(got))
	}
	os.Remove(filepath.Join(root, "first"))
	d.Look()
	d.Look()
	if len(told) != 2 || told[1] != nil {
		t.Errorf("told %v", told)
	}
}

// failing is a sink whose writes fail while full is set.
type failing struct {
	persist.Sink
	full bool
}

type failingFile struct {
	persist.File
	of *failing
}

var errFull = errors.New("the storage is full")

func (f *failing) Open(name string) (persist.File, error) {
	file, err := f.Sink.Open(name)
	return failingFile{file, f}, err
}

func (f failingFile) WriteAt(p []byte, off int64) (int, error) {
	if f.of.full {
		n, _ := f.File.WriteAt(p[:len(p)/2], off)
		return n, errFull
	}
	return f.File.WriteAt(p, off)
}

// TestAFullStorage: what was kept stays as it was, and all is kept again once there is room.
func TestAFullStorage(t *testing.T) {
	kept, root := t.TempDir(), t.TempDir()
	sink := &failing{Sink: sinkAt(t, kept)}
	var told []error
	d := open(t, sink, Options{Root: root, Tell: func(err error) { told = append(told, err) }})
	write(t, filepath.Join(root, "a"), []byte("one"))
	write(t, filepath.Join(root, "b"), []byte("one"))
	d.Look()
	sink.full = true
	write(t, filepath.Join(root, "a"), []byte("two, and longer"))
	os.Remove(filepath.Join(root, "b"))
	for range 3 {
		d.Look()
	}
	if len(told) != 1 || !errors.Is(told[0], errFull) {
		t.Fatalf("told %v", told)
	}
	back := t.TempDir()
	open(t, sinkAt(t, copyOf(t, kept)), Options{Root: back})
	if got := content(t, back); !strings.HasSuffix(got["/a"], " one") || !strings.HasSuffix(got["/b"], " one") {
		t.Errorf("while it is full: %v", got)
	}
	sink.full = false
	d.Look()
	if len(told) != 2 || told[1] != nil {
		t.Errorf("told %v", told)
	}
	back = t.TempDir()
	open(t, sinkAt(t, copyOf(t, kept)), Options{Root: back})
	if got := content(t, back); !maps.Equal(got, content(t, root)) {
		t.Errorf("with room again: %v", got)
	}
}
