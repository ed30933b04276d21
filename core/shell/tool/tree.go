package tool

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/pflag"
)

func init() { tools["tree"] = tree }

// maxTree is how deep tree goes, whatever it is asked for.
const maxTree = 64

// treeing is one run of tree.
type treeing struct {
	*T
	all, dirsOnly, full, flat bool

	depth       int
	dirs, files int
}

// tree draws what lies below directories.
func tree(t *T) int {
	w := treeing{T: t}
	var noReport bool
	args, code, ok := t.flags("[-adfi] [-L LEVEL] [--noreport] [DIRECTORY]...", func(f *pflag.FlagSet) {
		f.BoolVarP(&w.all, "all", "a", false, "")
		f.BoolVarP(&w.dirsOnly, "dirs", "d", false, "")
		f.BoolVarP(&w.full, "full", "f", false, "")
		f.BoolVarP(&w.flat, "flat", "i", false, "")
		f.BoolVar(&noReport, "noreport", false, "")
		f.IntVarP(&w.depth, "level", "L", maxTree, "")
	})
	if !ok {
		return code
	}
	if w.depth < 1 {
		fmt.Fprintln(t.stderr(), "tree: Invalid level, must be greater than 0.")
		return 1
	}
	w.depth = min(w.depth, maxTree)
	if len(args) == 0 {
		args = []string{"."}
	}
	for _, name := range args {
		info, err := t.FS.Stat(t.Path(name))
		if err != nil || !info.IsDir() {
			t.printf("%s  [error opening dir]\n", name)
			if err != nil {
				t.code = 2
			} else {
				w.files++
			}
			continue
		}
		t.print(name + "\n")
		if w.below(name, "", 1) {
			w.dirs++ // where nothing is in it, Debian's does not count it
		}
	}
	if noReport {
		return t.code
	}
	t.printf("\n%s", plural(w.dirs, "director", "y", "ies"))
	if !w.dirsOnly {
		t.printf(", %s", plural(w.files, "file", "", "s"))
	}
	t.print("\n")
	return 0
}

func plural(n int, stem, one, many string) string {
	if n == 1 {
		return "1 " + stem + one
	}
	return fmt.Sprintf("%d %s%s", n, stem, many)
}

// below draws a directory's entries, which are sorted already, and tells whether there are any.
func (w *treeing) below(dir, indent string, level int) bool {
	if level > w.depth || w.ctx.Err() != nil {
		return false
	}
	entries, err := w.FS.ReadDir(w.Path(dir))
	if w.failed(dir, err) {
		return false
	}
	var shown []fs.DirEntry
	for _, e := range entries {
		if (w.all || !strings.HasPrefix(e.Name(), ".")) && (!w.dirsOnly || w.isDir(dir, e)) {
			shown = append(shown, e)
		}
	}
	for i, e := range shown {
		branch, next := "├── ", "│\u00a0\u00a0 "
		if i == len(shown)-1 {
			branch, next = "└── ", "    "
		}
		if w.flat {
			branch, next = "", ""
		}
		path := strings.TrimSuffix(dir, "/") + "/" + e.Name()
		text := e.Name()
		if w.full {
			text = path
		}
		if target, err := w.FS.Readlink(w.Path(path)); err == nil {
			text += " -> " + target
		}
		w.print(indent + branch + text + "\n")
		if w.isDir(dir, e) {
			w.dirs++
		} else {
			w.files++
		}
		if e.IsDir() {
			w.below(path, indent+next, level+1)
		}
	}
	return len(shown) > 0
}

// isDir tells what is counted as a directory: a link to one is, and is not gone into.
func (w *treeing) isDir(dir string, e fs.DirEntry) bool {
	if e.IsDir() || e.Type()&fs.ModeSymlink == 0 {
		return e.IsDir()
	}
	info, err := w.FS.Stat(w.Path(dir + "/" + e.Name()))
	return err == nil && info.IsDir()
}
