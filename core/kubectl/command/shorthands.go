package command

import (
	"slices"
	"strings"
)

// switches are kubectl's shorthands that have no value, so that another one may follow in the same argument: "-Rf".
// -w has one in proxy, and -p in all but logs, whose -f is no file name.
const switches = "ARhiqtw"

// valued are the shorthands that rewrite and stdin are about.
const valued = "fkow"

// flagOf reads one argument: the name of the flag that rewrite may know, how the argument begins before the value, and
// the value if it is joined, as pflag reads them (github.com/spf13/pflag, parseSingleShortArg).
func flagOf(a, verb string) (name, head, value string, joined bool) {
	if !strings.HasPrefix(a, "-") || strings.HasPrefix(a, "--") {
		name, value, joined = strings.Cut(a, "=")
		return name, name, value, joined
	}
	for i := 1; i < len(a); i++ {
		switch letter := a[i : i+1]; {
		case strings.Contains(switches, letter) && (letter != "w" || verb != proxy):
			continue
		case strings.Contains(valued, letter):
			rest := a[i+1:]
			return "-" + letter, a[:i+1], strings.TrimPrefix(rest, "="), rest != ""
		default:
			return "", a, "", false // the rest is its value
		}
	}
	return "", a, "", false
}

const proxy = "proxy" // kubectl proxy, whose -w is a directory

// verbOf is kubectl's command in args: the first that is neither a flag nor the value of one that stands before it.
func verbOf(args []string) string {
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case !strings.HasPrefix(a, "-"):
			return a
		case slices.Contains(globals, a):
			i++
		}
	}
	return ""
}

// globals are the flags that stand before a command and have a value in the next argument.
var globals = []string{
	"-n", "--namespace", "-s", "--server", "--context", "--cluster", "--user", "--kubeconfig", "--cache-dir", "--token",
	"--as", "--as-group", "--as-uid", "--as-user-extra", "--certificate-authority", "--client-certificate", "--client-key",
	"--tls-server-name", "--request-timeout", "--username", "--password", "--profile", "--profile-output",
	"--kuberc", "--log-flush-frequency", "-v", "--v", "--vmodule",
}
