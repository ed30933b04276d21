package ways

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/tabernetes/tabernetes/core/confine"
)

// Found is what follows for one node from all Nodes.
type Found struct {
	// Ways lead to all other nodes that have said how they are reached, by name.
	Ways []Way
	// Own is the node's own Node; nil if there is none yet.
	Own *corev1.Node
	// Refused says of Nodes, by name, why what they say does not count, for people.
	Refused map[string]error
}

// Of finds self's ways. A node that cannot be understood, or claims what is another's, is refused, and
// keeps no other from being reached.
func Of(self Peer, all []*corev1.Node, pods confine.Plan) Found {
	all = slices.SortedFunc(slices.Values(all), confine.Older)
	cidrs, refused := pods.Granted(all)
	f := Found{Refused: refused}
	macs := map[string]string{self.MAC: self.Name}
	for _, n := range all {
		if n.Name == self.Name {
			f.Own = n
			continue
		}
		peer, err := peerOf(n, cidrs[n.Name], pods.Cluster)
		if err == nil && peer != nil && macs[peer.MAC] != "" {
			err = fmt.Errorf("node %s has the same MAC as node %s, which is older", n.Name, macs[peer.MAC])
		}
		if err == nil && peer == nil && refused[n.Name] != nil {
			err = fmt.Errorf("node %s: %w", n.Name, refused[n.Name])
		}
		delete(refused, n.Name)
		switch {
		case err != nil:
			refused[n.Name] = err
		case peer != nil:
			macs[peer.MAC] = n.Name
			f.Ways = append(f.Ways, way(self, *peer))
		}
	}
	slices.SortFunc(f.Ways, func(a, b Way) int { return strings.Compare(a.Name, b.Name) })
	return f
}
