package main

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// tree is the file system of an image.
type tree struct{ entries map[string]entry }

type entry struct {
	mode os.FileMode // of a file or directory
	link string      // of a symbolic link
	data []byte
}

func newTree() *tree {
	t := &tree{entries: map[string]entry{}}
	t.entries["/tmp"] = entry{mode: os.ModeDir | 0o1777}
	return t
}

func (t *tree) put(p string, e entry) {
	for dir := path.Dir(p); dir != "/"; dir = path.Dir(dir) {
		if _, ok := t.entries[dir]; !ok {
			t.entries[dir] = entry{mode: os.ModeDir | 0o755}
		}
	}
	t.entries[p] = e
}

func (t *tree) text(p, text string) { t.put(p, entry{mode: 0o644, data: []byte(text)}) }

func (t *tree) dirs(ps ...string) {
	for _, p := range ps {
		t.put(p, entry{mode: os.ModeDir | 0o755})
	}
}

// users are root and nobody, by files, so that nothing has to be asked for.
func (t *tree) users() {
	t.text("/etc/passwd", passwd)
	t.text("/etc/group", group)
	t.text("/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n")
	t.dirs("/root")
}

const (
	passwd = "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n"
	group  = "root:x:0:\nnogroup:x:65534:\n"
)

// base is users and a shell.
func (t *tree) base(ctx context.Context) error {
	t.users()
	return t.shell(ctx)
}

// copy takes a file of the machine, following links.
func (t *tree) copy(from, to string) error {
	st, err := os.Stat(from)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	t.put(to, entry{mode: st.Mode().Perm(), data: data})
	return nil
}

// shell is busybox and its applets.
func (t *tree) shell(ctx context.Context) error {
	if err := t.copy(busybox, "/bin/busybox"); err != nil {
		return err
	}
	out, err := exec.CommandContext(ctx, busybox, "--list").Output()
	if err != nil {
		return fmt.Errorf("list busybox' applets: %w", err)
	}
	for _, applet := range strings.Fields(string(out)) {
		if applet != "busybox" {
			t.put("/bin/"+applet, entry{link: "busybox"})
		}
	}
	return nil
}

// upstream is a file of the Kubernetes version in go.mod.
func (t *tree) upstream(ctx context.Context, from, to string) error {
	file, err := upstreamFile(ctx, from)
	if err != nil {
		return err
	}
	return t.copy(file, to)
}

// programs are programs of the machine where it has them.
func (t *tree) programs(ctx context.Context, paths ...string) error {
	for _, p := range paths {
		if err := t.program(ctx, p, p); err != nil {
			return err
		}
	}
	return nil
}

// goProgram is a Go program, linked statically, of the version that go.mod names. What only it
// depends on stands in a go.mod of its own.
func (t *tree) goProgram(ctx context.Context, to, path string) error {
	if e, ok := goPrograms[path]; ok {
		t.put(to, e)
		return nil
	}
	mod, err := ownModule()
	if err != nil {
		return err
	}
	if err := t.compiled(ctx, to, "go", "build", "-modfile="+mod, "-mod=mod", "-trimpath", "-ldflags=-s -w", "-o", "%", path); err != nil {
		return err
	}
	goPrograms[path] = t.entries[to]
	return nil
}

// goPrograms are those that this run has built, which several images have.
var goPrograms = map[string]entry{}

// program is a dynamically linked program of the machine with its libraries.
func (t *tree) program(ctx context.Context, from, to string) error {
	if err := t.copy(from, to); err != nil {
		return err
	}
	out, err := exec.CommandContext(ctx, "ldd", from).Output()
	if err != nil {
		return fmt.Errorf("list the libraries of %s: %w", from, err)
	}
	for _, word := range strings.Fields(string(out)) {
		if filepath.IsAbs(word) {
			if err := t.copy(word, word); err != nil {
				return err
			}
		}
	}
	// What glibc loads when it looks users and hosts up.
	for _, pattern := range []string{"/lib/x86_64-linux-gnu/libnss_files.so.2", "/lib/x86_64-linux-gnu/libnss_dns.so.2"} {
		if err := t.copy(pattern, pattern); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// compiled runs a compiler and takes what it writes; the output's path replaces "%", or comes last.
func (t *tree) compiled(ctx context.Context, to string, command ...string) error {
	dir, err := os.MkdirTemp("", "images-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "program")
	if i := slices.Index(command, "%"); i >= 0 {
		command = slices.Clone(command)
		command[i] = out
	} else {
		command = append(slices.Clone(command), out)
	}
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(command, " "), err, text)
	}
	return t.copy(out, to)
}

// tar is the tree as a layer: the same bytes for the same tree.
func (t *tree) tar() ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, p := range slices.Sorted(maps.Keys(t.entries)) {
		e := t.entries[p]
		h := &tar.Header{Name: strings.TrimPrefix(p, "/"), Mode: int64(e.mode.Perm()), Typeflag: tar.TypeReg, Size: int64(len(e.data))}
		switch {
		case e.link != "":
			h.Typeflag, h.Linkname, h.Mode, h.Size = tar.TypeSymlink, e.link, 0o777, 0
		case e.mode.IsDir():
			h.Typeflag, h.Name, h.Size = tar.TypeDir, h.Name+"/", 0
			if p == "/tmp" {
				h.Mode = 0o1777
			}
		case e.mode&os.ModeSetuid != 0:
			h.Mode |= 0o4000
		}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := io.Copy(w, bytes.NewReader(e.data)); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
