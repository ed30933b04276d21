package checkpoint

import (
	"slices"
	"strings"
)

// reads are kubectl's commands that write nothing to the cluster; with a second word, those of a group.
var reads = []string{
	"alpha", "api-resources", "api-versions", "attach", "auth can-i", "auth whoami", "cluster-info", "completion",
	"config", "cp", "describe", "diff", "events", "exec", "explain", "get", "help", "kustomize", "logs", "options",
	"plugin", "port-forward", "proxy", "rollout history", "rollout status", "top", "version", "wait", "__complete", "__completeNoDesc",
}

// valued are flags that every command has and that take the next word.
var valued = []string{
	"-n", "--namespace", "--context", "--cluster", "--user", "--kubeconfig", "-s", "--server", "--token", "--as", "--as-group",
	"--as-uid", "--cache-dir", "--request-timeout", "--certificate-authority", "--client-certificate", "--client-key",
	"--tls-server-name", "--username", "--password", "--profile", "--profile-output", "-v", "--v", "--kuberc",
}

// MayWrite is whether a line of kubectl (without its own name) may change an object. What is not known counts as if.
func MayWrite(args []string) bool {
	// What stands behind "--" is a container's command, whose -h is its own.
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	var words []string
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--help" || a == "-h":
			return false
		case strings.HasPrefix(a, "--dry-run") && a != "--dry-run=none" && a != "--dry-run=false":
			return false
		case slices.Contains(valued, a):
			i++
		case !strings.HasPrefix(a, "-"):
			words = append(words, a)
		}
	}
	if len(words) == 0 {
		return false // it says what it can do
	}
	if slices.Contains(reads, words[0]) {
		return false
	}
	return len(words) == 1 || !slices.Contains(reads, words[0]+" "+words[1])
}

// hidden are flags whose values may be secrets; of named ones the name of what they set is none.
var (
	hidden = []string{"--token", "--password", "--docker-password", "--from-literal", "--env", "-e"}
	named  = []string{"--from-literal", "--env", "-e"}
)

// Line is a line of kubectl as it is remembered, without values that may be secrets.
func Line(args []string) string {
	words := []string{"kubectl"}
	sets := slices.Contains(args, "set") && slices.Contains(args, "env")
	for i := 0; i < len(args); i++ {
		flag, value, has := strings.Cut(args[i], "=")
		if !slices.Contains(hidden, flag) {
			if sets && has && !strings.HasPrefix(flag, "-") {
				flag += "=…" // set env deployment/web PASSWORD=…
			} else {
				flag = args[i]
			}
			words = append(words, flag)
			continue
		}
		if !has && i+1 < len(args) {
			i++
			value, has = args[i], true
		}
		name, _, names := strings.Cut(value, "=")
		switch {
		case has && names && slices.Contains(named, flag):
			words = append(words, flag+"="+name+"=…")
		case has:
			words = append(words, flag+"=…")
		default:
			words = append(words, flag)
		}
	}
	return strings.Join(words, " ")
}
