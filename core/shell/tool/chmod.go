package tool

import (
	"io/fs"
	"strconv"
	"strings"
)

func init() {
	tools["chmod"] = chmod
}

func chmod(t *T) int {
	recursive := false
	// A mode such as -x looks like an option: options end at the first that is none.
	args := t.Args[1:]
	for len(args) > 0 && (args[0] == "-R" || args[0] == "--recursive" || args[0] == "-v" || args[0] == "-f" || args[0] == "--") {
		recursive = recursive || args[0] == "-R" || args[0] == "--recursive"
		args = args[1:]
	}
	if len(args) < 2 {
		return t.usage("[-R] MODE FILE...")
	}
	change := func(file string, info fs.FileInfo) {
		mode, ok := newMode(args[0], info.Mode())
		if !ok {
			t.fail("invalid mode '%s'", args[0])
			return
		}
		t.failed(file, t.FS.Chmod(t.Path(file), mode))
	}
	for _, file := range args[1:] {
		if recursive {
			t.walk(file, func(name string, e walked) bool {
				if e.info.Mode()&fs.ModeSymlink == 0 {
					change(name, e.info)
				}
				return true
			})
			continue
		}
		info, err := t.FS.Stat(t.Path(file))
		if !t.failed(file, err) {
			change(file, info)
		}
	}
	return 0
}

// newMode applies 755 or u+x,go-w,a=rX.
func newMode(spec string, mode fs.FileMode) (fs.FileMode, bool) {
	special := fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky
	if n, err := strconv.ParseUint(spec, 8, 12); err == nil {
		out := fs.FileMode(n & 0o777)
		for bit, flag := range map[uint64]fs.FileMode{0o4000: fs.ModeSetuid, 0o2000: fs.ModeSetgid, 0o1000: fs.ModeSticky} {
			if n&bit != 0 {
				out |= flag
			}
		}
		return out, true
	}
	out := mode & (fs.ModePerm | special)
	for clause := range strings.SplitSeq(spec, ",") {
		at := strings.IndexAny(clause, "+-=")
		if at < 0 {
			return 0, false
		}
		who := fs.FileMode(0)
		for _, letter := range clause[:at] {
			switch letter {
			case 'u':
				who |= 0o700
			case 'g':
				who |= 0o070
			case 'o':
				who |= 0o007
			case 'a':
				who |= 0o777
			default:
				return 0, false
			}
		}
		if who == 0 {
			who = 0o777
		}
		bits := fs.FileMode(0)
		for _, letter := range clause[at+1:] {
			switch letter {
			case 'r':
				bits |= 0o444
			case 'w':
				bits |= 0o222
			case 'x':
				bits |= 0o111
			case 'X':
				if mode.IsDir() || mode&0o111 != 0 {
					bits |= 0o111
				}
			case 's':
				if who&0o700 != 0 {
					bits |= fs.ModeSetuid
				}
				if who&0o070 != 0 {
					bits |= fs.ModeSetgid
				}
			case 't':
				bits |= fs.ModeSticky
			default:
				return 0, false
			}
		}
		bits &= who | special
		switch clause[at] {
		case '+':
			out |= bits
		case '-':
			out &^= bits
		case '=':
			out = out&^who | bits
		}
	}
	return out, true
}
