package tool

import (
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tabernetes/tabernetes/core/program"
)

func init() {
	tools["chown"] = chown
	tools["chgrp"] = chown
}

// accounts are the names of the container's users (/etc/passwd) and groups (/etc/group), read when they are asked for.
type accounts struct {
	t    *T
	read map[string][][]string
}

// maxNames is how much of either file is read, in bytes: they are a stranger's.
const maxNames = 1 << 20

func (n *accounts) lines(file string) [][]string {
	if lines, ok := n.read[file]; ok {
		return lines
	}
	var lines [][]string
	if info, err := n.t.FS.Stat(file); err == nil && info.Size() <= maxNames {
		data, _ := n.t.FS.ReadFile(file) // without it there are numbers only
		for line := range strings.Lines(string(data)) {
			if fields := strings.Split(strings.TrimSpace(line), ":"); len(fields) > 2 {
				lines = append(lines, fields)
			}
		}
	}
	if n.read == nil {
		n.read = map[string][][]string{}
	}
	n.read[file] = lines
	return lines
}

// of is the name of a number, if it has one. Root has, without a file, too: the page's terminal has none.
func (n *accounts) of(file string, id int) (string, bool) {
	for _, fields := range n.lines(file) {
		if fields[2] == strconv.Itoa(id) {
			return fields[0], true
		}
	}
	return "root", id == 0
}

func (n *accounts) user(uid int) string  { return n.orNumber("/etc/passwd", uid) }
func (n *accounts) group(gid int) string { return n.orNumber("/etc/group", gid) }

func (n *accounts) orNumber(file string, id int) string {
	if name, ok := n.of(file, id); ok {
		return name
	}
	return strconv.Itoa(id)
}

// number is what a name or a number means; field 3 of a user's line is its group.
func (n *accounts) number(file, name string, field int) (int, bool) {
	for _, fields := range n.lines(file) {
		if fields[0] == name && len(fields) > field {
			id, err := strconv.Atoi(fields[field])
			return id, err == nil && id >= 0
		}
	}
	if name == "root" {
		return 0, true
	}
	id, err := strconv.ParseUint(name, 10, 31)
	return int(id), err == nil && field == 2
}

func chown(t *T) int {
	var recursive, itself bool
	usage := "[-Rh] OWNER[:[GROUP]] FILE..."
	if t.name == "chgrp" {
		usage = "[-Rh] GROUP FILE..."
	}
	args, code, ok := t.flags(usage, func(f *pflag.FlagSet) {
		f.BoolVarP(&recursive, "recursive", "R", false, "")
		f.BoolVarP(&itself, "no-dereference", "h", false, "")
		f.BoolP("verbose", "v", false, "")
		f.BoolP("silent", "f", false, "")
	})
	if !ok {
		return code
	}
	if len(args) < 2 {
		return t.usage(usage)
	}
	uid, gid, ok := t.owner(args[0])
	if !ok {
		return 1
	}
	for _, file := range args[1:] {
		if !recursive {
			change := t.FS.Chown
			if itself {
				change = t.FS.Lchown
			}
			t.failed(file, change(t.Path(file), uid, gid))
			continue
		}
		t.walk(file, func(name string, _ walked) bool {
			t.failed(name, t.FS.Lchown(t.Path(name), uid, gid))
			return true
		})
	}
	return 0
}

// owner reads USER[:[GROUP]], or GROUP for chgrp; -1 is what is not named.
func (t *T) owner(spec string) (uid, gid int, ok bool) {
	n := accounts{t: t}
	user, group, both := strings.Cut(spec, ":")
	if t.name == "chgrp" {
		user, group = "", spec
	}
	uid, gid, ok = -1, -1, true
	if user != "" {
		if uid, ok = n.number("/etc/passwd", user, 2); !ok {
			t.fail("unknown user %s", user)
			return
		}
	}
	switch {
	case group != "":
		if gid, ok = n.number("/etc/group", group, 2); !ok {
			t.fail("unknown group %s", group)
		}
	case both && user != "": // "user:" is the user's own group
		if gid, ok = n.number("/etc/passwd", user, 3); !ok {
			gid, ok = uid, true
		}
	}
	return
}

// shownOwner is how ls and stat name whose a file is.
func (n *accounts) shownOwner(a program.Attributes, numeric bool) (user, group string) {
	if numeric {
		return strconv.Itoa(a.UID), strconv.Itoa(a.GID)
	}
	return n.user(a.UID), n.group(a.GID)
}
