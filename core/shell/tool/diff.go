package tool

import (
	"io"
	"io/fs"

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
	var out io.Writer = t.out
	if quiet {
		out = io.Discard
	}
	beside := t.Memory()
	defer beside.Free()
	limits := diff.Limits{Context: t.ctx, Hold: beside.Grow}
	compare, sides := diff.Files, [2]diff.Side{}
	for i, name := range args {
		info, err := t.FS.Stat(t.Path(name))
		if t.failed(name, err) {
			return 2
		}
		if info.IsDir() {
			compare = diff.Trees
		}
		sides[i] = diff.Side{Name: name, FS: files{t.FS, t}, Path: t.Path(name)}
	}
	differ, err := compare(limits, out, sides[0], sides[1])
	switch {
	case t.failed("compare", err):
		return 2
	case !differ:
		return 0
	case quiet:
		t.printf("Files %s and %s differ\n", args[0], args[1])
	}
	return 1
}

// files is the process's files as an fs.FS, with absolute paths, of which no more is read than
// the tool may hold.
type files struct {
	*program.FS
	t *T
}

var (
	_ fs.ReadDirFS = files{}
	_ fs.StatFS    = files{}
)

// Open implements fs.FS.
func (f files) Open(name string) (fs.File, error) {
	file, err := f.FS.Open(name)
	if err != nil {
		return nil, err
	}
	return boundedFile{file, f.t}, nil
}

// ReadFile implements fs.ReadFileFS, in place of the embedded one, which knows no bound.
func (f files) ReadFile(name string) ([]byte, error) {
	file, err := f.FS.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return f.t.readAll(paced{f.t, file})
}
