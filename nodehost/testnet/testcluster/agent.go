package testcluster

import (
	"net/netip"
	"os"

	"k8s.io/client-go/rest"
)

// Agent is what the role of a node's agent is told; roles embed it in what else they need.
type Agent struct {
	Access Access
	Node   string
	IP     netip.Addr
	Pods   netip.Prefix
	Path   string // in place of the machine's, if not empty
}

// Begin sets the agent's process up, and returns how it reaches the cluster.
func (a Agent) Begin() (*rest.Config, error) {
	if a.Path != "" {
		if err := os.Setenv("PATH", a.Path); err != nil {
			return nil, err
		}
	}
	return a.Access.Config()
}
