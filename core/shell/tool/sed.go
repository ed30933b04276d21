package tool

import (
	"bufio"
	"errors"
	"os"
	"path"
	"strings"

	"github.com/spf13/pflag"
)

func init() { tools["sed"] = sed }

func sed(t *T) int {
	var quiet, extended, inPlace, separate bool
	var exprs, scripts []string
	for i, arg := range t.Args { // -i takes its suffix without a space, or none
		if i > 0 && strings.HasPrefix(arg, "-i") && arg != "-i" {
			t.Args[i] = "-i"
		}
	}
	args, code, ok := t.flags("[-inE] [-e CMD]... [-f FILE]... [CMD] [FILE]...", func(f *pflag.FlagSet) {
		f.BoolVarP(&quiet, "quiet", "n", false, "")
		f.BoolVarP(&extended, "regexp-extended", "E", false, "")
		f.BoolVarP(&extended, "extended", "r", false, "")
		f.BoolVarP(&inPlace, "in-place", "i", false, "")
		f.StringArrayVarP(&exprs, "expression", "e", nil, "")
		f.StringArrayVarP(&scripts, "file", "f", nil, "")
		f.BoolVarP(&separate, "separate", "s", false, "")
		f.BoolP("unbuffered", "u", false, "")
	})
	if !ok {
		return code
	}
	for _, script := range scripts {
		data, err := t.readFile(script)
		if t.failed(script, err) {
			return 1
		}
		exprs = append(exprs, strings.TrimSuffix(string(data), "\n"))
	}
	if len(exprs) == 0 {
		if len(args) == 0 {
			return t.usage("[-inE] [-e CMD]... [-f FILE]... [CMD] [FILE]...")
		}
		exprs, args = args[:1], args[1:]
	}
	prog, err := t.parseSed(strings.Join(exprs, "\n"), extended)
	if err != nil {
		t.fail("%v", err)
		return 1
	}
	if !inPlace {
		m := newSed(t, prog, quiet, t.out)
		defer m.close()
		m.run(&sedInput{t: t, names: orStdin(args), separate: separate})
		return m.exit
	}
	for _, file := range args {
		code, quit := t.sedInPlace(file, prog, quiet)
		if code != 0 || quit || t.ctx.Err() != nil {
			return code
		}
	}
	return 0
}

func orStdin(names []string) []string {
	if len(names) == 0 {
		return []string{"-"}
	}
	return names
}

// sedInPlace writes the edited lines beside the file and puts them in its place when all is well.
func (t *T) sedInPlace(file string, prog []*sedCommand, quiet bool) (code int, quit bool) {
	info, err := t.FS.Stat(t.Path(file))
	if t.failed(file, err) {
		return 0, false
	}
	real, err := t.FS.RealPath(t.Path(file))
	if t.failed(file, err) {
		return 0, false
	}
	beside := path.Dir(real) + "/sed" + randomLetters(6)
	out, err := t.FS.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
	if t.failed("can't create temp file "+beside, err) {
		return 1, true
	}
	w := bufio.NewWriter(out)
	m := newSed(t, prog, quiet, w)
	defer m.close()
	in := &sedInput{t: t, names: []string{file}}
	m.run(in)
	err = errors.Join(w.Flush(), out.Close(), t.ctx.Err())
	if err == nil && !m.failed {
		err = t.FS.Rename(beside, real)
	} else {
		_ = t.FS.Remove(beside)
	}
	t.failed(file, err)
	return m.exit, m.quit
}
