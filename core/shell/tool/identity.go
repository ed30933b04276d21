package tool

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tabernetes/tabernetes/core/program"
)

func init() {
	tools["hostname"] = hostname
	tools["id"] = id
	tools["whoami"] = whoami
	tools["uname"] = uname
	tools["nproc"] = nproc
	tools["tty"] = tty
	tools["arch"] = func(t *T) int { t.print(machine + "\n"); return 0 }
}

// What uname says: the system is none of those that exist, and its kernel is the Go runtime.
const (
	kernel  = "6.1.0-tabernetes"
	machine = "wasm32"
)

// nproc counts the processors that the container has; outside of one there is one thread.
func nproc(t *T) int {
	count := 0
	for _, span := range strings.Split(t.Processors(), ",") {
		first, last, isRange := strings.Cut(span, "-")
		from, err := strconv.Atoi(first)
		to := from
		if isRange && err == nil {
			to, err = strconv.Atoi(last)
		}
		if err == nil && from <= to {
			count += to - from + 1
		}
	}
	t.print(strconv.Itoa(max(count, 1)) + "\n")
	return 0
}

func hostname(t *T) int {
	var short, addresses bool
	args, code, ok := t.flags("[-sif]", func(f *pflag.FlagSet) {
		f.BoolVarP(&short, "short", "s", false, "")
		f.BoolVarP(&addresses, "ip-address", "i", false, "")
		f.BoolVarP(&addresses, "all-ip-addresses", "I", false, "")
		f.BoolP("fqdn", "f", false, "")
		f.BoolP("domain", "d", false, "")
	})
	switch {
	case !ok:
		return code
	case len(args) > 0:
		t.fail("sethostname: Operation not permitted")
		return 1
	case addresses:
		var list []string
		if t.Net != nil {
			for _, ip := range t.Net.IPs() {
				list = append(list, ip.String())
			}
		}
		t.print(strings.Join(list, " ") + "\n")
		return 0
	}
	name := t.Hostname
	if short {
		name, _, _ = strings.Cut(name, ".")
	}
	t.print(name + "\n")
	return 0
}

// whoami names the effective user.
func whoami(t *T) int {
	uid := t.FS.Credentials().EUID
	name, ok := (&accounts{t: t}).of("/etc/passwd", uid)
	if !ok {
		t.fail("unknown uid %d", uid)
		return 1
	}
	t.print(name + "\n")
	return 0
}

// id tells the credentials of its own process, or what the files say of another user.
func id(t *T) int {
	var user, group, groups, name, real bool
	args, code, ok := t.flags("[-ugGnr] [USER]", func(f *pflag.FlagSet) {
		f.BoolVarP(&user, "user", "u", false, "")
		f.BoolVarP(&group, "group", "g", false, "")
		f.BoolVarP(&groups, "groups", "G", false, "")
		f.BoolVarP(&name, "name", "n", false, "")
		f.BoolVarP(&real, "real", "r", false, "")
	})
	if !ok {
		return code
	}
	n := &accounts{t: t}
	c := t.FS.Credentials()
	if len(args) > 0 {
		if c, ok = n.credentials(args[0]); !ok {
			t.fail("unknown user %s", args[0])
			return 1
		}
	}
	shown := func(number func(int) string, id int) string {
		if name {
			return number(id)
		}
		return strconv.Itoa(id)
	}
	uid, gid := c.EUID, c.EGID
	if real {
		uid, gid = c.UID, c.GID
	}
	all := append([]int{gid}, slices.DeleteFunc(slices.Clone(c.Groups), func(g int) bool { return g == gid })...)
	switch {
	case user:
		t.print(shown(n.user, uid) + "\n")
	case group:
		t.print(shown(n.group, gid) + "\n")
	case groups:
		var words []string
		for _, g := range all {
			words = append(words, shown(n.group, g))
		}
		t.print(strings.Join(words, " ") + "\n")
	default:
		t.print(n.everything(c, all) + "\n")
	}
	return 0
}

// everything is the line of id without options.
func (n *accounts) everything(c program.Credentials, groups []int) string {
	with := func(file string, id int) string {
		if name, ok := n.of(file, id); ok {
			return fmt.Sprintf("%d(%s)", id, name)
		}
		return strconv.Itoa(id)
	}
	words := []string{"uid=" + with("/etc/passwd", c.UID), "gid=" + with("/etc/group", c.GID)}
	if c.EUID != c.UID {
		words = append(words, "euid="+with("/etc/passwd", c.EUID))
	}
	if c.EGID != c.GID {
		words = append(words, "egid="+with("/etc/group", c.EGID))
	}
	var list []string
	for _, g := range groups {
		list = append(list, with("/etc/group", g))
	}
	return strings.Join(append(words, "groups="+strings.Join(list, ",")), " ")
}

// credentials are those that a user would have, by /etc/passwd and /etc/group.
func (n *accounts) credentials(user string) (program.Credentials, bool) {
	uid, ok := n.number("/etc/passwd", user, 2)
	if !ok {
		return program.Credentials{}, false
	}
	name, known := n.of("/etc/passwd", uid)
	gid, _ := n.number("/etc/passwd", name, 3)
	var groups []int
	for _, fields := range n.lines("/etc/group") {
		if known && len(fields) == 4 && slices.Contains(strings.Split(fields[3], ","), name) {
			if g, err := strconv.Atoi(fields[2]); err == nil {
				groups = append(groups, g)
			}
		}
	}
	return program.User(uid, gid, groups...), known
}

func uname(t *T) int {
	var all bool
	show := make([]bool, 6)
	_, code, ok := t.flags("[-amnrsvo]", func(f *pflag.FlagSet) {
		f.BoolVarP(&all, "all", "a", false, "")
		f.BoolVarP(&show[0], "kernel-name", "s", false, "")
		f.BoolVarP(&show[1], "nodename", "n", false, "")
		f.BoolVarP(&show[2], "kernel-release", "r", false, "")
		f.BoolVarP(&show[3], "kernel-version", "v", false, "")
		f.BoolVarP(&show[4], "machine", "m", false, "")
		f.BoolVarP(&show[5], "operating-system", "o", false, "")
		f.BoolP("processor", "p", false, "")
	})
	if !ok {
		return code
	}
	values := []string{"Linux", t.Hostname, kernel, "#1 in-tab", machine, "Tabernetes"}
	var words []string
	for i, value := range values {
		if show[i] || all {
			words = append(words, value)
		}
	}
	if len(words) == 0 {
		words = values[:1]
	}
	t.print(strings.Join(words, " ") + "\n")
	return 0
}

func tty(t *T) int {
	if t.Terminal == nil {
		t.print("not a tty\n")
		return 1
	}
	t.print("/dev/pts/0\n")
	return 0
}
