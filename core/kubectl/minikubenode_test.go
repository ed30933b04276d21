package kubectl_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/tabernetes/tabernetes/core/kubectl"
	"github.com/tabernetes/tabernetes/core/program"
)

// fleet are nodes that only remember what was done to them.
type fleet struct {
	names []string
	did   []string
}

func (f *fleet) NodeNames() []string { return f.names }
func (f *fleet) AddSizedNode(_ context.Context, cores, memory, disk int64) (string, error) {
	f.did = append(f.did, fmt.Sprintf("add %d %d %d", cores, memory>>20, disk>>20))
	if len(f.names) == 3 {
		return "", errors.New("add a node: no more addresses are left")
	}
	f.names = append(f.names, "node-3")
	return "node-3", nil
}
func (f *fleet) StopNode(name string) error { f.did = append(f.did, "stop "+name); return nil }
func (f *fleet) ShutdownNode(_ context.Context, name string) error {
	f.did = append(f.did, "shut down "+name)
	return nil
}
func (f *fleet) HealNode(name string) error { f.did = append(f.did, "heal "+name); return nil }
func (f *fleet) RemoveNode(_ context.Context, name string) error {
	f.names = slices.DeleteFunc(f.names, func(n string) bool { return n == name })
	f.did = append(f.did, "remove "+name)
	return nil
}

func TestMinikubeNode(t *testing.T) {
	nodes := &fleet{names: []string{"node-1", "node-2"}}
	term, err := kubectl.New(kubectl.Options{
		RESTConfig: func() *rest.Config { return nil }, FS: program.NewFS(t.TempDir()), Nodes: nodes,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		line, out, errOut string
		code              int
	}{
		{"minikube node list", "node-1\nnode-2\n", "", 0},
		{"minikube node stop node-2", "Successfully stopped node node-2.\n", "", 0},
		{"minikube node start node-2", "Successfully started node node-2.\n", "", 0},
		{"minikube ssh -n node-2 -- sudo poweroff", "node-2 shuts down", "", 0},
		{"minikube ssh --node=node-2 'sudo systemctl poweroff'", "node-2 shuts down", "", 0},
		{"minikube ssh poweroff", "node-1 shuts down", "", 0},
		{"minikube ssh", "", "has no shell of its own", 1},
		{"minikube ssh -n node-2 -- sudo rm -rf /", "", "has no shell of its own", 1},
		{"minikube ssh -n", "", "wants the name of a node", 1},
		{"minikube ssh -n $'m02\\e[2J' poweroff", "", `"m02\x1b[2J" is no in-tab node`, 1},
		{"minikube node add", "Successfully added node-3.\n", "", 0},
		{"minikube node add", "", "no more addresses are left", 1},
		{"minikube node add node-7", "", "a new node's name is not chosen", 1},
		{"minikube node add --cpus=2.5", "", `--cpus: "2.5" is no number of cores`, 1},
		{"minikube node add --cpus=-1", "", `--cpus: "-1" is no number of cores`, 1},
		{"minikube node add --memory=0", "", `--memory: "0" is no size: it is a number with a unit, b, k, m or g`, 1},
		{"minikube node add --disk-size=-3g", "", `--disk-size: "-3g" is no size`, 1},
		{"minikube node add --disk-size=much", "", `--disk-size: "much" is no size`, 1},
		{"minikube node add --disk-size=NaNg", "", `is no size`, 1},
		{"minikube node add --disk-size=99999999999999999999g", "", `is no size`, 1},
		{"minikube node add --disk-size=$'\\e[2J'", "", `"\x1b[2J" is no size`, 1},
		{"minikube node add --disk=3g", "", "unknown flag: --disk", 1},
		{"minikube node delete node-3", "Node node-3 was successfully deleted.\n", "", 0},
		{"minikube node add --cpus 2 --memory=1.5g --disk-size=300", "Successfully added node-3.\n", "", 0},
		{"minikube node delete node-3", "Node node-3 was successfully deleted.\n", "", 0},
		{"minikube node", "Usage: ", "", 0},
		{"minikube node stop", "", "wants the name of one node", 1},
		{"minikube node stop $'m02\\e[2J'", "", `"m02\x1b[2J" is no in-tab node. There are: node-1, node-2`, 1},
		{"minikube node explode node-1", "", "there is no `minikube node explode` here", 1},
	} {
		out, errOut, code := typed(t, term.Session("a"), c.line)
		if code != c.code || !strings.HasPrefix(out, c.out) || !strings.Contains(errOut, c.errOut) {
			t.Errorf("%s: exit code %d, %q, %q", c.line, code, out, errOut)
		}
	}
	if got := strings.Join(nodes.did, ", "); got != "stop node-2, heal node-2, shut down node-2, shut down node-2, shut down node-1, add 0 0 0, add 0 0 0, remove node-3, add 2 1536 300, remove node-3" {
		t.Error(got)
	}
}

func TestMinikubeWithoutNodesOfTheTab(t *testing.T) {
	term, _ := newTerminal(t)
	if _, errOut, code := typed(t, term.Session("a"), "minikube node list"); code != 1 || !strings.Contains(errOut, "no in-tab nodes") {
		t.Errorf("%d, %q", code, errOut)
	}
}
