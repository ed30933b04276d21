package tool

import (
	"errors"
	"io/fs"
	"path"

	"github.com/spf13/pflag"
)

func init() { tools["rm"] = rm }

func rm(t *T) int {
	var recursive, force bool
	files, code, ok := t.flags("[-irf] FILE...", func(f *pflag.FlagSet) {
		f.BoolVarP(&recursive, "recursive", "r", false, "")
		f.BoolVarP(&recursive, "Recursive", "R", false, "")
		f.BoolVarP(&force, "force", "f", false, "")
		f.BoolP("interactive", "i", false, "")
		f.BoolP("verbose", "v", false, "")
	})
	if !ok {
		return code
	}
	if len(files) == 0 && !force {
		return t.usage("[-irf] FILE...")
	}
	for _, file := range files {
		if base := path.Base(path.Clean(file)); base == "." || base == ".." {
			t.fail("can't remove '.' or '..'")
			continue
		}
		info, err := t.FS.Lstat(t.Path(file))
		switch {
		case errors.Is(err, fs.ErrNotExist) && force:
		case err != nil:
			t.failed("can't remove '"+file+"'", err)
		case info.IsDir() && !recursive:
			t.fail("'%s' is a directory", file)
		case info.IsDir():
			t.removeTree(file)
		default:
			t.failed("can't remove '"+file+"'", t.FS.Remove(t.Path(file)))
		}
	}
	return 0
}

// removeTree removes what can be removed, so that what is mounted inside is told by name.
func (t *T) removeTree(file string) {
	if t.ctx.Err() != nil {
		return
	}
	entries, err := t.FS.ReadDir(t.Path(file))
	if t.failed("can't open '"+file+"'", err) {
		return
	}
	for _, entry := range entries {
		name := into(file, entry.Name())
		if info, err := t.FS.Lstat(t.Path(name)); err == nil && info.IsDir() {
			t.removeTree(name)
		} else {
			t.failed("can't remove '"+name+"'", t.FS.Remove(t.Path(name)))
		}
	}
	t.failed("can't remove '"+file+"'", t.FS.Remove(t.Path(file)))
}
