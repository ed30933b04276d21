package tool

import (
	"io"
	"strings"

	"github.com/spf13/pflag"
)

func init() { tools["sed"] = sed }

func sed(t *T) int {
	var quiet, extended, inPlace bool
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
		f.BoolP("separate", "s", false, "")
		f.BoolP("unbuffered", "u", false, "")
	})
	if !ok {
		return code
	}
	for _, script := range scripts {
		data, err := t.FS.ReadFile(t.Path(script))
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
	prog, err := parseSed(strings.Join(exprs, "\n"), extended)
	if err != nil {
		t.fail("%v", err)
		return 1
	}
	if !inPlace {
		m := &sedMachine{t: t, prog: prog, quiet: quiet, out: t.out}
		m.run(m.files(args))
		return m.exit
	}
	for _, file := range args {
		var edited strings.Builder
		m := &sedMachine{t: t, prog: prog, quiet: quiet, out: &edited}
		info, err := t.FS.Stat(t.Path(file))
		if t.failed(file, err) {
			continue
		}
		m.run(m.files([]string{file}))
		if t.ctx.Err() == nil {
			t.failed(file, t.FS.WriteFile(t.Path(file), []byte(edited.String()), info.Mode().Perm()))
		}
		if m.exit != 0 {
			return m.exit
		}
	}
	return 0
}

// files gives the lines of the files one after the other, with their ends.
func (m *sedMachine) files(names []string) []string {
	var all strings.Builder
	m.t.each(names, func(_ string, r io.Reader) error {
		_, err := io.Copy(&all, onlyReader{r})
		return err
	})
	lines := strings.SplitAfter(all.String(), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}
