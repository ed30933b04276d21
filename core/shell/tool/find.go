package tool

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"
)

func init() { tools["find"] = find }

// finder is one run of find: an expression over the files below some paths.
type finder struct {
	t        *T
	args     []string // still to be parsed
	minDepth int
	maxDepth int
	acts     bool // the expression prints or runs something by itself
	depth    bool
	prune    bool
	nest     int  // of terms within terms
	full     bool // what is to be visited later is too much
}

// laterMemory is what a file takes that is visited after those within it, beside its name.
const laterMemory = 256

// test is one term of the expression; it may print, delete or run.
type findTest func(file string, e walked) bool

func find(t *T) int {
	f := &finder{t: t, args: t.Args[1:], maxDepth: 1 << 30}
	var paths []string
	for len(f.args) > 0 && f.args[0] != "!" && f.args[0] != "(" && !strings.HasPrefix(f.args[0], "-") {
		paths = append(paths, f.next())
	}
	if len(paths) == 0 {
		paths = []string{"."}
	}
	test, err := f.or()
	if err == nil && len(f.args) > 0 {
		err = fmt.Errorf("unexpected '%s'", f.args[0])
	}
	if err != nil {
		t.fail("%v", err)
		return 1
	}
	for _, start := range paths {
		var later []func()
		t.walk(start, func(file string, e walked) bool {
			f.prune = false
			visit := func() {
				if e.depth >= f.minDepth && (test == nil || test(file, e)) && !f.acts {
					t.print(file + "\n")
				}
			}
			if f.depth {
				if f.full = f.full || t.failed(file, t.hold(len(file)+laterMemory)); f.full {
					return false
				}
				later = append(later, visit)
			} else {
				visit()
			}
			return e.depth < f.maxDepth && !f.prune
		})
		for i := len(later) - 1; i >= 0; i-- { // contents before their directory
			later[i]()
		}
	}
	return 0
}

func (f *finder) next() string {
	arg := f.args[0]
	f.args = f.args[1:]
	return arg
}

func (f *finder) or() (findTest, error) {
	left, err := f.and()
	for err == nil && len(f.args) > 0 && (f.args[0] == "-o" || f.args[0] == "-or") {
		f.next()
		var right findTest
		right, err = f.and()
		l, r := left, right
		left = func(file string, e walked) bool { return l(file, e) || r(file, e) }
	}
	return left, err
}

func (f *finder) and() (findTest, error) {
	var all findTest
	for len(f.args) > 0 && f.args[0] != "-o" && f.args[0] != "-or" && f.args[0] != ")" {
		if f.args[0] == "-a" || f.args[0] == "-and" {
			f.next()
			continue
		}
		one, err := f.term()
		if err != nil {
			return nil, err
		}
		if one == nil {
			continue
		}
		if before := all; before != nil {
			all = func(file string, e walked) bool { return before(file, e) && one(file, e) }
		} else {
			all = one
		}
	}
	return all, nil
}

func always(string, walked) bool { return true }

func (f *finder) term() (findTest, error) {
	if f.nest++; f.nest > maxNest {
		return nil, errNested
	}
	defer func() { f.nest-- }()
	name := f.next()
	switch name {
	case "!", "-not":
		if len(f.args) == 0 {
			return nil, fmt.Errorf("expected an expression after '%s'", name)
		}
		test, err := f.term()
		if test == nil {
			test = always
		}
		return func(file string, e walked) bool { return !test(file, e) }, err
	case "(":
		test, err := f.or()
		if err == nil && (len(f.args) == 0 || f.next() != ")") {
			err = fmt.Errorf("missing ')'")
		}
		return test, err
	case "-print":
		f.acts = true
		return func(file string, _ walked) bool { f.t.print(file + "\n"); return true }, nil
	case "-print0":
		f.acts = true
		return func(file string, _ walked) bool { f.t.print(file + "\x00"); return true }, nil
	case "-delete":
		f.acts, f.depth = true, true
		return func(file string, _ walked) bool { return !f.t.failed(file, f.t.FS.Remove(f.t.Path(file))) }, nil
	case "-prune":
		return func(string, walked) bool { f.prune = true; return true }, nil
	case "-depth":
		f.depth = true
		return nil, nil
	case "-empty":
		return func(file string, e walked) bool {
			if e.info.IsDir() {
				entries, err := f.t.FS.ReadDir(f.t.Path(file))
				return err == nil && len(entries) == 0
			}
			return e.info.Size() == 0
		}, nil
	case "-true", "-xdev", "-mount", "-follow":
		return always, nil
	case "-exec", "-ok":
		return f.exec()
	}
	if len(f.args) == 0 {
		return nil, fmt.Errorf("%s requires an argument", name)
	}
	return f.withArgument(name, f.next())
}

func (f *finder) withArgument(name, arg string) (findTest, error) {
	fold := strings.HasPrefix(name, "-i")
	matches := func(text string) bool {
		pattern := arg
		if fold {
			pattern, text = strings.ToLower(pattern), strings.ToLower(text)
		}
		ok, err := path.Match(pattern, text)
		return err == nil && ok
	}
	switch name {
	case "-name", "-iname":
		return func(file string, _ walked) bool { return matches(path.Base(file)) }, nil
	case "-path", "-ipath", "-wholename":
		re, err := f.t.compile("^"+strings.NewReplacer(`.`, `\.`, `*`, `.*`, `?`, `.`, `+`, `\+`, `(`, `\(`, `)`, `\)`).Replace(arg)+"$", true, fold, false)
		if err != nil {
			return nil, fmt.Errorf("bad pattern '%s'", arg)
		}
		return func(file string, _ walked) bool { return re.Match(f.t.ctx, file) }, nil
	case "-type":
		kinds := map[string]fs.FileMode{"d": fs.ModeDir, "l": fs.ModeSymlink, "f": 0, "p": fs.ModeNamedPipe, "s": fs.ModeSocket, "c": fs.ModeDevice | fs.ModeCharDevice}
		kind, ok := kinds[arg]
		if !ok {
			return nil, fmt.Errorf("unknown type '%s'", arg)
		}
		return func(_ string, e walked) bool { return e.info.Mode().Type() == kind }, nil
	case "-maxdepth", "-mindepth":
		n, err := strconv.Atoi(arg)
		if err != nil {
			return nil, fmt.Errorf("invalid number '%s'", arg)
		}
		if name == "-maxdepth" {
			f.maxDepth = n
		} else {
			f.minDepth = n
		}
		return nil, nil
	case "-newer":
		info, err := f.t.FS.Stat(f.t.Path(arg))
		if err != nil {
			return nil, fmt.Errorf("%s: No such file or directory", arg)
		}
		return func(_ string, e walked) bool { return e.info.ModTime().After(info.ModTime()) }, nil
	case "-mtime", "-mmin", "-size":
		return f.compared(name, arg)
	case "-perm":
		mode, err := strconv.ParseUint(strings.TrimLeft(arg, "-/"), 8, 32)
		if err != nil {
			return nil, fmt.Errorf("invalid mode '%s'", arg)
		}
		return func(_ string, e walked) bool {
			perm := uint64(e.info.Mode().Perm())
			switch arg[0] {
			case '-':
				return perm&mode == mode
			case '/':
				return perm&mode != 0
			}
			return perm == mode
		}, nil
	case "-user", "-group":
		return func(string, walked) bool { return arg == "root" || arg == "0" }, nil
	}
	return nil, fmt.Errorf("unrecognized: %s", name)
}

// compared is a test with a number: +N is more, -N is less.
func (f *finder) compared(name, arg string) (findTest, error) {
	sign := byte(0)
	if arg != "" && (arg[0] == '+' || arg[0] == '-') {
		sign, arg = arg[0], arg[1:]
	}
	unit := int64(1)
	if name == "-size" {
		unit = 512
		if n := len(arg); n > 0 {
			if u, ok := map[byte]int64{'c': 1, 'k': 1 << 10, 'M': 1 << 20, 'G': 1 << 30, 'b': 512, 'w': 2}[arg[n-1]]; ok {
				unit, arg = u, arg[:n-1]
			}
		}
	}
	want, err := strconv.ParseInt(arg, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("invalid number '%s'", arg)
	}
	return func(_ string, e walked) bool {
		value := (e.info.Size() + unit - 1) / unit
		switch name {
		case "-mtime":
			value = int64(time.Since(e.info.ModTime()) / (24 * time.Hour))
		case "-mmin":
			value = int64(time.Since(e.info.ModTime()) / time.Minute)
		}
		switch sign {
		case '+':
			return value > want
		case '-':
			return value < want
		}
		return value == want
	}, nil
}

func (f *finder) exec() (findTest, error) {
	f.acts = true
	var command []string
	for len(f.args) > 0 {
		arg := f.next()
		if arg == ";" && len(command) == 0 {
			return nil, errors.New("-exec requires an argument")
		}
		if arg == ";" || arg == "+" && len(command) > 0 && command[len(command)-1] == "{}" {
			return func(file string, _ walked) bool {
				held := f.t.Memory()
				defer held.Free()
				args, err := replaceAll(held, command, "{}", file)
				return err == nil && f.t.exec(args) == 0
			}, nil
		}
		command = append(command, arg)
	}
	return nil, fmt.Errorf("-exec requires an argument that ends with ';'")
}
