package tool

import (
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/tabernetes/tabernetes/core/program"
)

func init() { tools["ls"] = ls }

type lsFlags struct {
	long, all, almost, one, recursive, human, dir, byTime, bySize, reverse, classify, inode, numeric bool
}

type lsEntry struct {
	name string // as it is shown
	path string
	info fs.FileInfo
}

func ls(t *T) int {
	var o lsFlags
	args, code, ok := t.flags("[-1AaCdFhilnRrSt] [FILE]...", func(f *pflag.FlagSet) {
		f.BoolVarP(&o.long, "long", "l", false, "")
		f.BoolVarP(&o.all, "all", "a", false, "")
		f.BoolVarP(&o.almost, "almost-all", "A", false, "")
		f.BoolVarP(&o.one, "one", "1", false, "")
		f.BoolVarP(&o.recursive, "recursive", "R", false, "")
		f.BoolVarP(&o.human, "human-readable", "h", false, "")
		f.BoolVarP(&o.dir, "directory", "d", false, "")
		f.BoolVarP(&o.byTime, "time", "t", false, "")
		f.BoolVarP(&o.bySize, "size", "S", false, "")
		f.BoolVarP(&o.reverse, "reverse", "r", false, "")
		f.BoolVarP(&o.classify, "classify", "F", false, "")
		f.BoolVarP(&o.classify, "slashes", "p", false, "")
		f.BoolVarP(&o.inode, "inode", "i", false, "")
		f.BoolVarP(&o.numeric, "numeric", "n", false, "")
		f.BoolP("columns", "C", false, "")
		f.String("color", "", "")
		f.Lookup("color").NoOptDefVal = "auto"
	})
	if !ok {
		return code
	}
	o.long = o.long || o.numeric
	if len(args) == 0 {
		args = []string{"."}
	}
	var files, dirs []lsEntry
	for _, name := range args {
		stat := t.FS.Stat
		if o.long && !strings.HasSuffix(name, "/") || o.dir {
			stat = t.FS.Lstat
		}
		info, err := stat(t.Path(name))
		if t.failed(name, err) {
			continue
		}
		if info.IsDir() && !o.dir {
			dirs = append(dirs, lsEntry{name, name, info})
		} else {
			files = append(files, lsEntry{name, name, info})
		}
	}
	o.sort(files)
	t.lsPrint(o, files)
	for i, dir := range dirs {
		if len(args) > 1 || o.recursive {
			if i > 0 || len(files) > 0 {
				t.print("\n")
			}
			t.printf("%s:\n", dir.name)
		}
		t.lsDir(o, dir.path)
	}
	return 0
}

func (t *T) lsDir(o lsFlags, dir string) {
	list, err := t.FS.ReadDir(t.Path(dir))
	if t.failed("can't open '"+dir+"'", err) || t.ctx.Err() != nil {
		return
	}
	var entries []lsEntry
	held, over := 0, false
	defer func() { _ = t.hold(-held) }()
	add := func(name string) {
		full := strings.TrimSuffix(dir, "/") + "/" + name
		if over {
			return
		}
		n := len(full) + program.StringMemory
		held += n
		if over = t.failed(dir, t.hold(n)); over {
			return
		}
		if info, err := t.FS.Lstat(t.Path(full)); !t.failed(full, err) {
			entries = append(entries, lsEntry{name, full, info})
		}
	}
	if o.all {
		add(".")
		add("..")
	}
	for _, entry := range list {
		if o.all || o.almost || !strings.HasPrefix(entry.Name(), ".") {
			add(entry.Name())
		}
	}
	o.sort(entries)
	if o.long {
		blocks := int64(0)
		for _, e := range entries {
			blocks += (e.info.Size() + 4095) / 4096 * 4
		}
		t.printf("total %d\n", blocks)
	}
	t.lsPrint(o, entries)
	if !o.recursive {
		return
	}
	for _, e := range entries {
		if e.info.IsDir() && e.name != "." && e.name != ".." {
			t.printf("\n%s:\n", e.path)
			t.lsDir(o, e.path)
		}
	}
}

func (o lsFlags) sort(entries []lsEntry) {
	slices.SortStableFunc(entries, func(a, b lsEntry) int {
		order := strings.Compare(a.name, b.name)
		switch {
		case o.byTime && !a.info.ModTime().Equal(b.info.ModTime()):
			order = b.info.ModTime().Compare(a.info.ModTime())
		case o.bySize && a.info.Size() != b.info.Size():
			order = int(min(max(b.info.Size()-a.info.Size(), -1), 1))
		}
		if o.reverse {
			return -order
		}
		return order
	})
}

func (t *T) lsPrint(o lsFlags, entries []lsEntry) {
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.name + o.mark(e.info)
		if o.long && e.info.Mode()&fs.ModeSymlink != 0 {
			if target, err := t.FS.Readlink(t.Path(e.path)); err == nil {
				names[i] = e.name + " -> " + target
			}
		}
	}
	if !o.long && !o.one && t.Terminal != nil {
		t.columns(names)
		return
	}
	width, userWidth, groupWidth := 8, 8, 8
	who := accounts{t: t}
	for _, e := range entries {
		width = max(width, len(size(e.info.Size(), o.human)))
		if o.long {
			user, group := who.shownOwner(program.AttributesOf(e.info), o.numeric)
			userWidth, groupWidth = max(userWidth, len(user)), max(groupWidth, len(group))
		}
	}
	for i, e := range entries {
		if o.long {
			user, group := who.shownOwner(program.AttributesOf(e.info), o.numeric)
			links := 1
			if e.info.IsDir() {
				links = 2
			}
			t.printf("%s %4d %-*s %-*s %*s %s ", modeString(e.info.Mode()), links, userWidth, user, groupWidth, group,
				width, size(e.info.Size(), o.human), lsTime(e.info.ModTime()))
		}
		t.print(names[i] + "\n")
	}
}

func (o lsFlags) mark(info fs.FileInfo) string {
	switch mode := info.Mode(); {
	case !o.classify:
	case mode.IsDir():
		return "/"
	case mode&fs.ModeSymlink != 0:
		return "@"
	case mode.IsRegular() && mode&0o111 != 0:
		return "*"
	}
	return ""
}

func lsTime(at time.Time) string {
	at = at.UTC()
	if age := time.Since(at); age > 180*24*time.Hour || age < -time.Hour {
		return at.Format("Jan _2  2006")
	}
	return at.Format("Jan _2 15:04")
}

// modeString is the mode as ls and stat show it: drwxr-xr-x.
func modeString(mode fs.FileMode) string {
	kind := map[fs.FileMode]string{fs.ModeDir: "d", fs.ModeSymlink: "l", fs.ModeNamedPipe: "p",
		fs.ModeSocket: "s", fs.ModeDevice: "b", fs.ModeDevice | fs.ModeCharDevice: "c"}[mode.Type()]
	if kind == "" {
		kind = "-"
	}
	bits := []byte(mode.Perm().String()[1:])
	set := func(special fs.FileMode, at int, letter byte) {
		if mode&special != 0 {
			if bits[at] == '-' {
				letter -= 'a' - 'A'
			}
			bits[at] = letter
		}
	}
	set(fs.ModeSetuid, 2, 's')
	set(fs.ModeSetgid, 5, 's')
	set(fs.ModeSticky, 8, 't')
	return kind + string(bits)
}

// columns lays names out over the terminal's width.
func (t *T) columns(names []string) {
	longest := 0
	for _, name := range names {
		longest = max(longest, len([]rune(name)))
	}
	cols, _ := t.Terminal.Size()
	perRow := max(max(cols, 40)/(longest+2), 1)
	rows := (len(names) + perRow - 1) / perRow
	for row := range rows {
		for i := row; i < len(names); i += rows {
			t.print(names[i])
			if i+rows < len(names) {
				t.print(strings.Repeat(" ", longest+2-len([]rune(names[i]))))
			}
		}
		t.print("\n")
	}
}
