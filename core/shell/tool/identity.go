package tool

import (
	"strings"

	"github.com/spf13/pflag"
)

func init() {
	tools["hostname"] = hostname
	tools["id"] = id
	tools["whoami"] = func(t *T) int { t.print("root\n"); return 0 }
	tools["uname"] = uname
	tools["nproc"] = func(t *T) int { t.print("1\n"); return 0 }
	tools["tty"] = tty
	tools["arch"] = func(t *T) int { t.print(machine + "\n"); return 0 }
}

// What uname says: the system is none of those that exist, and its kernel is the Go runtime.
const (
	kernel  = "6.1.0-tabernetes"
	machine = "wasm32"
)

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

func id(t *T) int {
	var user, group, groups, name bool
	_, code, ok := t.flags("[-ugGn] [USER]", func(f *pflag.FlagSet) {
		f.BoolVarP(&user, "user", "u", false, "")
		f.BoolVarP(&group, "group", "g", false, "")
		f.BoolVarP(&groups, "groups", "G", false, "")
		f.BoolVarP(&name, "name", "n", false, "")
		f.BoolP("real", "r", false, "")
	})
	switch {
	case !ok:
		return code
	case (user || group || groups) && name:
		t.print("root\n")
	case user || group || groups:
		t.print("0\n")
	default:
		t.print("uid=0(root) gid=0(root) groups=0(root)\n")
	}
	return 0
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
