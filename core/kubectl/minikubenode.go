package kubectl

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/program"
)

// Nodes are the cluster's in-tab nodes, as `minikube node` handles them. *cluster.Cluster is one.
type Nodes interface {
	// NodeNames lists them in the order of their making, stopped ones included.
	NodeNames() []string
	// AddSizedNode adds one and returns its name once it is Ready; what is zero is as the others have it.
	AddSizedNode(ctx context.Context, cores, memoryBytes, diskBytes int64) (string, error)
	// StopNode cuts one off, as when its plug is pulled; HealNode undoes that.
	StopNode(name string) error
	HealNode(name string) error
	// ShutdownNode shuts one down, as `systemctl poweroff` does, and returns when it is off.
	ShutdownNode(ctx context.Context, name string) error
	// RemoveNode takes one away for good, with its pods.
	RemoveNode(ctx context.Context, name string) error
}

const nodeUsage = `Usage: minikube node list
       minikube node add [--cpus=2] [--memory=2g] [--disk-size=500m]     what is left out is as the others have it
       minikube node stop NAME     as if its plug was pulled: kubectl get nodes shows it NotReady after 50 s
       minikube node start NAME
       minikube ssh -n NAME -- sudo poweroff     shuts it down: its pods end with their grace
       minikube node delete NAME   for good, with its pods`

// minikubeNode is `minikube node`, with minikube's verbs, over in-tab nodes. Machines that have joined are
// not among them: nothing here can switch those off.
func (t *Terminal) minikubeNode(ctx context.Context, p *program.Process, args []string) int {
	fail := func(format string, args ...any) int {
		fmt.Fprintf(p.Stderr, "minikube: "+format+"\n", args...)
		return 1
	}
	nodes := t.opts.Nodes
	if nodes == nil {
		return fail("this terminal has no in-tab nodes to handle. kubectl get nodes lists the cluster's.")
	}
	if len(args) == 0 {
		fmt.Fprintln(p.Stdout, nodeUsage)
		return 0
	}
	verb, names := args[0], words(args[1:])
	switch verb {
	case "list":
		for _, name := range nodes.NodeNames() {
			fmt.Fprintln(p.Stdout, name)
		}
		return 0
	case "add":
		size, err := sizeOf(args[1:])
		if err != nil {
			return fail("node add: %v.\n%s", err, nodeUsage)
		}
		name, err := nodes.AddSizedNode(ctx, size.cores, size.memory, size.disk)
		if err != nil {
			return fail("%v", err)
		}
		fmt.Fprintf(p.Stdout, "Successfully added %s.\n", name)
		return 0
	case "stop", "start", "delete":
	default:
		return fail("there is no `minikube node %s` here.\n%s", verb, nodeUsage)
	}
	if len(names) != 1 {
		return fail("`minikube node %s` wants the name of one node.\n%s", verb, nodeUsage)
	}
	name := names[0]
	if listed := nodes.NodeNames(); !slices.Contains(listed, name) {
		return fail("%q is no in-tab node. There are: %s", name, strings.Join(listed, ", "))
	}
	var err error
	said := ""
	switch verb {
	case "stop":
		err, said = nodes.StopNode(name), "Successfully stopped node "+name+"."
	case "start":
		err, said = nodes.HealNode(name), "Successfully started node "+name+"."
	case "delete":
		err, said = nodes.RemoveNode(ctx, name), "Node "+name+" was successfully deleted."
	}
	if err != nil {
		return fail("%v", err)
	}
	fmt.Fprintln(p.Stdout, said)
	return 0
}

// words are the args that are no flags.
func words(args []string) []string {
	return slices.DeleteFunc(slices.Clone(args), func(a string) bool { return strings.HasPrefix(a, "-") })
}
