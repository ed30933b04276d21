package tool

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"syscall"

	"github.com/spf13/pflag"

	"github.com/tabernetes/tabernetes/core/program"
)

func init() {
	tools["cp"] = cp
	tools["mv"] = mv
}

// copier copies trees; each entry's failure is told and the rest goes on.
type copier struct {
	t                          *T
	recursive, preserve, links bool
	force, noClobber           bool
}

func cp(t *T) int {
	c := copier{t: t}
	var archive, noTargetDir bool
	var target string
	args, code, ok := t.flags("[-arPLfpn] SOURCE... DEST", func(f *pflag.FlagSet) {
		f.BoolVarP(&c.recursive, "recursive", "r", false, "")
		f.BoolVarP(&c.recursive, "Recursive", "R", false, "")
		f.BoolVarP(&archive, "archive", "a", false, "")
		f.BoolVarP(&c.preserve, "preserve", "p", false, "")
		f.BoolVarP(&c.links, "no-dereference", "P", false, "")
		f.BoolVarP(&c.links, "links", "d", false, "")
		f.BoolVarP(&c.force, "force", "f", false, "")
		f.BoolVarP(&c.noClobber, "no-clobber", "n", false, "")
		f.BoolVarP(&noTargetDir, "no-target-directory", "T", false, "")
		f.StringVarP(&target, "target-directory", "t", "", "")
		f.BoolP("dereference", "L", false, "")
		f.BoolP("interactive", "i", false, "")
		f.BoolP("verbose", "v", false, "")
	})
	if !ok {
		return code
	}
	if archive {
		c.recursive, c.preserve, c.links = true, true, true
	}
	return c.all(args, target, noTargetDir, "[-arPLfpn] SOURCE... DEST", c.copy)
}

func mv(t *T) int {
	c := copier{t: t, recursive: true, preserve: true, links: true}
	var noTargetDir bool
	var target string
	args, code, ok := t.flags("[-fn] SOURCE... DEST", func(f *pflag.FlagSet) {
		f.BoolVarP(&c.force, "force", "f", false, "")
		f.BoolVarP(&c.noClobber, "no-clobber", "n", false, "")
		f.BoolVarP(&noTargetDir, "no-target-directory", "T", false, "")
		f.StringVarP(&target, "target-directory", "t", "", "")
		f.BoolP("interactive", "i", false, "")
		f.BoolP("verbose", "v", false, "")
	})
	if !ok {
		return code
	}
	return c.all(args, target, noTargetDir, "[-fn] SOURCE... DEST", c.move)
}

// all applies do to each source, into DEST if that is a directory.
func (c copier) all(args []string, target string, noTargetDir bool, usage string, do func(from, to string)) int {
	t := c.t
	if target != "" {
		args = append(args, target)
	}
	if len(args) < 2 {
		return t.usage(usage)
	}
	sources, dest := args[:len(args)-1], args[len(args)-1]
	info, err := t.FS.Stat(t.Path(dest))
	isDir := err == nil && info.IsDir() && !noTargetDir
	if len(sources) > 1 && !isDir {
		t.fail("target '%s' is not a directory", dest)
		return 1
	}
	for _, from := range sources {
		to := dest
		if isDir {
			to = into(dest, from)
		}
		if c.noClobber {
			if _, err := t.FS.Lstat(t.Path(to)); err == nil {
				continue
			}
		}
		do(from, to)
	}
	return 0
}

func (c copier) move(from, to string) {
	t := c.t
	err := t.FS.Rename(t.Path(from), t.Path(to))
	if !errors.Is(err, syscall.EXDEV) {
		t.failed("can't rename '"+from+"'", err)
		return
	}
	before := t.code
	t.code = 0
	c.copy(from, to)
	if t.code == 0 {
		t.removeTreeOrFile(from)
	}
	t.code = max(t.code, before)
}

func (t *T) removeTreeOrFile(name string) {
	if info, err := t.FS.Lstat(t.Path(name)); err == nil && info.IsDir() {
		t.removeTree(name)
	} else {
		t.failed("can't remove '"+name+"'", t.FS.Remove(t.Path(name)))
	}
}

func (c copier) copy(from, to string) {
	t := c.t
	stat := t.FS.Stat
	if c.links {
		stat = t.FS.Lstat
	}
	info, err := stat(t.Path(from))
	if t.failed("can't stat '"+from+"'", err) || t.ctx.Err() != nil {
		return
	}
	switch {
	case info.IsDir():
		c.copyDir(from, to, info)
		return
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := t.FS.Readlink(t.Path(from))
		if err == nil {
			_ = t.FS.Remove(t.Path(to))
			err = t.FS.Symlink(target, t.Path(to))
		}
		t.failed("can't create symlink '"+to+"'", err)
		return
	}
	if a, err := t.FS.RealPath(t.Path(from)); err == nil {
		if b, err := t.FS.RealPath(t.Path(to)); err == nil && a == b {
			t.fail("'%s' and '%s' are the same file", from, to)
			return
		}
	}
	in, err := t.open(from)
	if t.failed("can't open '"+from+"'", err) {
		return
	}
	defer in.Close()
	out, err := t.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, info.Mode().Perm())
	if err != nil && c.force && t.FS.Remove(t.Path(to)) == nil {
		out, err = t.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, info.Mode().Perm())
	}
	if t.failed("can't create '"+to+"'", err) {
		return
	}
	_, err = io.Copy(out, onlyReader{in})
	if err2 := out.Close(); err == nil {
		err = err2
	}
	if !t.failed("write error on '"+to+"'", err) {
		c.keep(to, info)
	}
}

func (c copier) copyDir(from, to string, info fs.FileInfo) {
	t := c.t
	if !c.recursive {
		t.fail("omitting directory '%s'", from)
		return
	}
	real, err := t.FS.RealPath(t.Path(from))
	if err == nil {
		if inside, err := t.FS.RealPath(t.Path(to)); err == nil && (inside == real || path.Dir(inside) == real) {
			t.fail("recursion detected, omitting directory '%s'", from)
			return
		}
	}
	err = t.FS.Mkdir(t.Path(to), info.Mode().Perm()|0o700)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		t.failed("can't create directory '"+to+"'", err)
		return
	}
	entries, err := t.FS.ReadDir(t.Path(from))
	t.failed("can't open '"+from+"'", err)
	for _, entry := range entries {
		c.copy(into(from, entry.Name()), into(to, entry.Name()))
	}
	c.keep(to, info)
}

// keep gives the copy the source's mode and times, if that was asked.
func (c copier) keep(to string, info fs.FileInfo) {
	if c.preserve {
		owner := program.AttributesOf(info)
		_ = c.t.FS.Chown(c.t.Path(to), owner.UID, owner.GID) // as far as the user may
		_ = c.t.FS.Chmod(c.t.Path(to), info.Mode())
		_ = c.t.FS.Chtimes(c.t.Path(to), info.ModTime(), info.ModTime())
	}
}
