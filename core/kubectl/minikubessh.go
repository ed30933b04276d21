package kubectl

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/program"
)

// poweroffs are the lines that shut a machine down, without sudo.
var poweroffs = []string{"poweroff", "systemctl poweroff", "shutdown now", "shutdown -h now", "shutdown -P now", "halt -p"}

// minikubeSSH is `minikube ssh` as far as an in-tab node has something behind it: it can be shut down. args are those
// after `ssh`.
func (t *Terminal) minikubeSSH(ctx context.Context, p *program.Process, args []string) int {
	fail := func(format string, args ...any) int {
		fmt.Fprintf(p.Stderr, "minikube: "+format+"\n", args...)
		return 1
	}
	nodes := t.opts.Nodes
	if nodes == nil {
		return fail("this terminal has no in-tab nodes to handle. kubectl get nodes lists the cluster's.")
	}
	listed := nodes.NodeNames()
	if len(listed) == 0 {
		return fail("there is no in-tab node")
	}
	name := listed[0] // as minikube's is its first
	var command []string
	for len(args) > 0 && command == nil {
		switch flag, value, ok := strings.Cut(args[0], "="); {
		case flag == "-n" || flag == "--node":
			if !ok {
				if len(args) < 2 {
					return fail("%s wants the name of a node", flag)
				}
				value, args = args[1], args[1:]
			}
			name, args = value, args[1:]
		case flag == "--":
			command = args[1:]
		default:
			command = args
		}
	}
	if !slices.Contains(listed, name) {
		return fail("%q is no in-tab node. There are: %s", name, strings.Join(listed, ", "))
	}
	line := strings.TrimPrefix(strings.Join(command, " "), "sudo ") // quoted as one word or not
	if !slices.Contains(poweroffs, line) {
		return fail("an in-tab node has no shell of its own; `sudo poweroff` shuts it down. For its files: kubectl debug node/%s -it --image=busybox", name)
	}
	fmt.Fprintf(p.Stdout, "%s shuts down: its pods end, those of lower priority first.\n", name)
	if err := nodes.ShutdownNode(ctx, name); err != nil {
		return fail("%v", err)
	}
	fmt.Fprintf(p.Stdout, "%s is off. On again: minikube node start %s\n", name, name)
	return 0
}
