package tool

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tabernetes/tabernetes/core/program"
)

func init() {
	tools["du"] = du
	tools["df"] = df
	tools["stat"] = stat
	tools["mount"] = mount
}

func du(t *T) int {
	var all, human, sum, total, mega, bytes bool
	depth := 1 << 30
	args, code, ok := t.flags("[-ahskmcb] [-d N] [FILE]...", func(f *pflag.FlagSet) {
		f.BoolVarP(&all, "all", "a", false, "")
		f.BoolVarP(&human, "human-readable", "h", false, "")
		f.BoolVarP(&sum, "summarize", "s", false, "")
		f.BoolVarP(&total, "total", "c", false, "")
		f.BoolVarP(&mega, "mega", "m", false, "")
		f.BoolVarP(&bytes, "bytes", "b", false, "")
		f.BoolP("kilo", "k", true, "")
		f.IntVarP(&depth, "max-depth", "d", depth, "")
	})
	if !ok {
		return code
	}
	if len(args) == 0 {
		args = []string{"."}
	}
	if sum {
		depth = 0
	}
	show := func(n int64, name string) {
		text := itoa(int((n + 1023) / 1024))
		switch {
		case human:
			text = size(n, true)
		case mega:
			text = itoa(int((n + 1<<20 - 1) / (1 << 20)))
		case bytes:
			text = itoa(int(n))
		}
		t.print(text + "\t" + name + "\n")
	}
	grand := int64(0)
	for _, name := range args {
		grand += t.usageOf(name, 0, bytes, func(file string, n int64, isDir bool, at int) {
			if at <= depth && (isDir || all || at == 0) {
				show(n, file)
			}
		})
	}
	if total {
		show(grand, "total")
	}
	return 0
}

// usageOf adds up sizes, in blocks of 4 KiB unless exact, the contents before their directory.
func (t *T) usageOf(name string, depth int, exact bool, show func(file string, n int64, isDir bool, depth int)) int64 {
	info, err := t.FS.Lstat(t.Path(name))
	if t.failed(name, err) || t.ctx.Err() != nil {
		return 0
	}
	n := info.Size()
	if !exact {
		n = (n + 4095) / 4096 * 4096
	}
	if info.IsDir() {
		entries, err := t.FS.ReadDir(t.Path(name))
		t.failed(name, err)
		for _, entry := range entries {
			n += t.usageOf(into(name, entry.Name()), depth+1, exact, show)
		}
	}
	show(name, n, info.IsDir(), depth)
	return n
}

// df shows the file systems without sizes of devices, which there are none of.
func df(t *T) int {
	var human bool
	_, code, ok := t.flags("[-hkT] [FILE]...", func(f *pflag.FlagSet) {
		f.BoolVarP(&human, "human-readable", "h", false, "")
		f.BoolP("kilo", "k", true, "")
		f.BoolP("print-type", "T", false, "")
		f.BoolP("inodes", "i", false, "")
		f.BoolP("portability", "P", false, "")
	})
	if !ok {
		return code
	}
	head, unit := "1K-blocks", int64(1024)
	if human {
		head, unit = "     Size", 1
	}
	t.printf("Filesystem           %s      Used Available Use%% Mounted on\n", head)
	row := func(source, at string) {
		used := (&T{Process: t.Process, ctx: t.ctx, out: t.out, name: t.name}).usageOf(at, 0, false, func(string, int64, bool, int) {})
		shown := itoa(int(used / unit))
		if human {
			shown = size(used, true)
		}
		t.printf("%-20s %9s %9s %9s %3s%% %s\n", source, "-", shown, "-", "0", at)
	}
	row("overlay", "/")
	for _, m := range t.FS.Mounts() {
		row(cmp.Or(m.Kind, program.RootKind), m.Path)
	}
	return 0
}

func stat(t *T) int {
	var format string
	var follow bool
	files, code, ok := t.flags("[-L] [-c FMT] FILE...", func(f *pflag.FlagSet) {
		f.StringVarP(&format, "format", "c", "", "")
		f.BoolVarP(&follow, "dereference", "L", false, "")
	})
	if !ok {
		return code
	}
	who := accounts{t: t}
	for _, file := range files {
		look := t.FS.Lstat
		if follow {
			look = t.FS.Stat
		}
		info, err := look(t.Path(file))
		if t.failed("can't stat '"+file+"'", err) {
			continue
		}
		kind := "regular file"
		switch {
		case info.IsDir():
			kind = "directory"
		case info.Mode().Type() != 0:
			kind = map[byte]string{'l': "symbolic link", 'c': "character special file", 'p': "fifo", 's': "socket"}[modeString(info.Mode())[0]]
		case info.Size() == 0:
			kind = "regular empty file"
		}
		at := info.ModTime().UTC()
		octal := fmt.Sprintf("%o", octalMode(info.Mode()))
		owner := program.AttributesOf(info)
		if format != "" {
			_, _ = strings.NewReplacer("%n", file, "%N", "'"+file+"'", "%s", itoa(int(info.Size())), "%a", octal,
				"%A", modeString(info.Mode()), "%F", kind, "%U", who.user(owner.UID), "%G", who.group(owner.GID), "%u", itoa(owner.UID), "%g", itoa(owner.GID), "%h", "1",
				"%Y", itoa(int(at.Unix())), "%X", itoa(int(at.Unix())), "%y", at.Format("2006-01-02 15:04:05.000000000 -0700"),
				"%b", itoa(int((info.Size()+511)/512)), "%%", "%").WriteString(t.out, format)
			t.print("\n")
			continue
		}
		t.printf("  File: %s\n  Size: %-10d\tBlocks: %-10d IO Block: 4096   %s\n", file, info.Size(), (info.Size()+511)/512, kind)
		t.printf("Access: (%04s/%s)  Uid: (%5d/%8s)   Gid: (%5d/%8s)\n", octal, modeString(info.Mode()),
			owner.UID, who.user(owner.UID), owner.GID, who.group(owner.GID))
		t.printf("Modify: %s\n", at.Format("2006-01-02 15:04:05.000000000 -0700"))
	}
	return 0
}

// octalMode is a mode as chmod(1) takes it.
func octalMode(mode fs.FileMode) uint32 {
	bits := uint32(mode.Perm())
	for flag, bit := range map[fs.FileMode]uint32{fs.ModeSetuid: 0o4000, fs.ModeSetgid: 0o2000, fs.ModeSticky: 0o1000} {
		if mode&flag != 0 {
			bits |= bit
		}
	}
	return bits
}

// mount lists what is mounted, of one kind with -t. Nothing can be mounted.
func mount(t *T) int {
	var only string
	args, code, ok := t.flags("[-t TYPE]", func(f *pflag.FlagSet) { f.StringVarP(&only, "types", "t", "", "") })
	switch {
	case !ok:
		return code
	case len(args) > 0:
		t.fail("permission denied (are you root?)")
		return 1
	}
	show := func(kind, at, mode string) {
		if only == "" || only == kind {
			t.printf("%s on %s type %s (%s,relatime)\n", kind, at, kind, mode)
		}
	}
	show(program.RootKind, "/", "rw")
	mounts := t.FS.Mounts()
	for i := len(mounts) - 1; i >= 0; i-- {
		mode := "rw"
		if mounts[i].ReadOnly {
			mode = "ro"
		}
		show(cmp.Or(mounts[i].Kind, program.RootKind), path.Clean(mounts[i].Path), mode)
	}
	return 0
}
