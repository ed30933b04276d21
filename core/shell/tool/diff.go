package tool

import (
	"io/fs"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/shell/diff"
)

func init() { tools["diff"] = diffTool }

// diffTool compares two files or directories: exit code 0 means equal, 1 different, 2 trouble.
func diffTool(t *T) int {
	var quiet bool
	args, code, ok := t.flags("[-q] FILE1 FILE2", func(f *pflag.FlagSet) {
		f.BoolVarP(&quiet, "brief", "q", false, "")
		for letter, name := range map[string]string{"u": "unified", "N": "new-file", "r": "recursive", "a": "text"} {
			f.BoolP(name, letter, false, "") // always so
		}
	})
	if !ok {
		return max(code, 2)
	}
	if len(args) != 2 {
		return max(t.usage("[-q] FILE1 FILE2"), 2)
	}
	var out strings.Builder
	compare, sides := diff.Files, [2]diff.Side{}
	for i, name := range args {
		info, err := t.FS.Stat(t.Path(name))
		if t.failed(name, err) {
			return 2
		}
		if info.IsDir() {
			compare = diff.Trees
		}
		sides[i] = diff.Side{Name: name, FS: files{t.FS}, Path: t.Path(name)}
	}
	differ, err := compare(&out, sides[0], sides[1])
	switch {
	case t.failed("compare", err):
		return 2
	case !differ:
		return 0
	case quiet:
		t.printf("Files %s and %s differ\n", args[0], args[1])
	default:
		t.print(out.String())
	}
	return 1
}

// files is the process's files as an fs.FS, with absolute paths.
type files struct{ *program.FS }

var (
	_ fs.ReadDirFS  = files{}
	_ fs.ReadFileFS = files{}
	_ fs.StatFS     = files{}
)

// Open implements fs.FS.
func (f files) Open(name string) (fs.File, error) { return f.FS.Open(name) }
