package tool

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/spf13/pflag"
)

func init() {
	tools["basename"] = basename
	tools["dirname"] = dirname
	tools["readlink"] = readlink
	tools["realpath"] = realpath
	tools["which"] = which
	tools["clear"] = func(t *T) int { t.print("\x1b[H\x1b[2J\x1b[3J"); return 0 }
	tools["mktemp"] = mktemp
	tools["sync"] = func(*T) int { return 0 }
}

func basename(t *T) int {
	if len(t.Args) < 2 || len(t.Args) > 3 {
		return t.usage("FILE [SUFFIX]")
	}
	name := path.Base(t.Args[1])
	if len(t.Args) == 3 && name != t.Args[2] {
		name = strings.TrimSuffix(name, t.Args[2])
	}
	t.print(name + "\n")
	return 0
}

func dirname(t *T) int {
	if len(t.Args) < 2 {
		return t.usage("FILE")
	}
	for _, name := range t.Args[1:] {
		if trimmed := strings.TrimRight(name, "/"); trimmed != "" {
			name = trimmed
		}
		t.print(path.Dir(name) + "\n")
	}
	return 0
}

func readlink(t *T) int {
	var canonical, noNewline bool
	args, code, ok := t.flags("[-fn] FILE", func(f *pflag.FlagSet) {
		f.BoolVarP(&canonical, "canonicalize", "f", false, "")
		f.BoolVarP(&canonical, "canonicalize-existing", "e", false, "")
		f.BoolVarP(&noNewline, "no-newline", "n", false, "")
	})
	if !ok {
		return code
	}
	for _, name := range args {
		read := t.FS.Readlink
		if canonical {
			read = t.FS.RealPath
		}
		target, err := read(t.Path(name))
		if err != nil {
			t.code = 1
			continue
		}
		if !noNewline {
			target += "\n"
		}
		t.print(target)
	}
	return 0
}

func realpath(t *T) int {
	for _, name := range t.Args[1:] {
		real, err := t.FS.RealPath(t.Path(name))
		if err == nil {
			_, err = t.FS.Stat(path.Dir(real))
		}
		if !t.failed(name, err) {
			t.print(real + "\n")
		}
	}
	return 0
}

func which(t *T) int {
	for _, name := range t.Args[1:] {
		found := ""
		for dir := range strings.SplitSeq(t.Getenv("PATH"), ":") {
			if t.ctx.Err() != nil {
				return 1
			}
			file := path.Join("/", dir, name)
			if info, err := t.FS.Stat(file); err == nil && !info.IsDir() && info.Mode()&0o111 != 0 {
				found = file
				break
			}
		}
		if _, ok := t.lookup(name); ok && found == "" && (t.Absent == nil || !t.Absent(path.Base(name))) {
			found = "/bin/" + path.Base(name)
		}
		if found == "" {
			t.code = 1
			continue
		}
		t.print(found + "\n")
	}
	return 0
}

func mktemp(t *T) int {
	var dir, dry bool
	var in string
	args, code, ok := t.flags("[-dqu] [-p DIR] [TEMPLATE]", func(f *pflag.FlagSet) {
		f.BoolVarP(&dir, "directory", "d", false, "")
		f.BoolVarP(&dry, "dry-run", "u", false, "")
		f.BoolP("quiet", "q", false, "")
		f.BoolP("tmpdir", "t", false, "")
		f.StringVarP(&in, "parent", "p", "", "")
	})
	if !ok {
		return code
	}
	template := "tmp.XXXXXX"
	if len(args) > 0 {
		template = args[0]
	} else if in == "" {
		if in = t.Getenv("TMPDIR"); in == "" {
			in = "/tmp"
		}
		_ = t.FS.MkdirAll(t.Path(in), 0o777)
	}
	if in != "" {
		template = strings.TrimSuffix(in, "/") + "/" + template
	}
	stem := strings.TrimRight(template, "X")
	if len(template)-len(stem) < 3 {
		t.fail("invalid template '%s'", template)
		return 1
	}
	for range 100 {
		name := stem + randomLetters(len(template)-len(stem))
		if _, err := t.FS.Lstat(t.Path(name)); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var err error
		switch {
		case dry:
		case dir:
			err = t.FS.Mkdir(t.Path(name), 0o700)
		default:
			err = t.FS.WriteFile(t.Path(name), nil, 0o600)
		}
		if !t.failed(name, err) {
			t.print(name + "\n")
		}
		return 0
	}
	return 1
}
