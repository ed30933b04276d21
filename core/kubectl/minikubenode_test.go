package kubectl_test

import (
	"context"
	"errors"
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
func (f *fleet) AddPlainNode(context.Context) (string, error) {
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
	if got := strings.Join(nodes.did, ", "); got != "stop node-2, heal node-2, shut down node-2, shut down node-2, shut down node-1, remove node-3" {
		t.Error(got)
	}
}

func TestMinikubeWithoutNodesOfTheTab(t *testing.T) {
	term, _ := newTerminal(t)
	if _, errOut, code := typed(t, term.Session("a"), "minikube node list"); code != 1 || !strings.Contains(errOut, "no in-tab nodes") {
		t.Errorf("%d, %q", code, errOut)
	}
}
