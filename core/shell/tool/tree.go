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
	all, dirsOnly bool
	depth         int
	dirs, files   int
}

// tree draws what lies below directories.
func tree(t *T) int {
	w := treeing{T: t}
	args, code, ok := t.flags("[-ad] [-L LEVEL] [DIRECTORY]...", func(f *pflag.FlagSet) {
		f.BoolVarP(&w.all, "all", "a", false, "")
		f.BoolVarP(&w.dirsOnly, "dirs", "d", false, "")
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
			t.code = 2
			continue
		}
		t.print(name + "\n")
		w.dirs++
		w.below(name, "", 1)
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

// below draws a directory's entries, which are sorted already.
func (w *treeing) below(dir, indent string, level int) {
	if level > w.depth || w.ctx.Err() != nil {
		return
	}
	entries, err := w.FS.ReadDir(w.Path(dir))
	if w.failed(dir, err) {
		return
	}
	var shown []fs.DirEntry
	for _, e := range entries {
		if (w.all || !strings.HasPrefix(e.Name(), ".")) && (!w.dirsOnly || e.IsDir()) {
			shown = append(shown, e)
		}
	}
	for i, e := range shown {
		branch, next := "├── ", "│\u00a0\u00a0 "
		if i == len(shown)-1 {
			branch, next = "└── ", "    "
		}
		full := strings.TrimSuffix(dir, "/") + "/" + e.Name()
		text := e.Name()
		if target, err := w.FS.Readlink(w.Path(full)); err == nil {
			text += " -> " + target
		}
		w.print(indent + branch + text + "\n")
		if e.IsDir() {
			w.dirs++
			w.below(full, indent+next, level+1)
		} else {
			w.files++
		}
	}
}
