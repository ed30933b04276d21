package confine

import (
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
)

// inTab are the names of in-tab nodes.
var inTab = regexp.MustCompile(`^node-[0-9]+$`)

// InTabNode is the name of the i-th in-tab node, counted from 0.
func InTabNode(i int) string { return "node-" + strconv.Itoa(i+1) }

// InTab tells whether a name is one of those that in-tab nodes have.
func InTab(name string) bool { return inTab.MatchString(name) }

// own are names of the cluster's own, with all that end in a dot and one of them.
var own = []string{"localhost", "tabernetes.internal", "svc", "cluster.local"}

// Name says why no machine can be a node of that name; nil if one can. A node's name is in its
// certificates: as one that the API server has, or that is an address, it would pass for the API server;
// as an in-tab node's it would have that node's rights as soon as there is one.
func Name(name string) error {
	if inTab.MatchString(name) {
		return fmt.Errorf("%q is a name of the cluster's own nodes", name)
	}
	if _, err := netip.ParseAddr(name); err == nil {
		return fmt.Errorf("%q is an address", name)
	}
	if name == "" {
		return errors.New("it is empty")
	}
	first, _, _ := strings.Cut(name, ".")
	taken := first == "kubernetes" || first == "localhost"
	for _, o := range own {
		taken = taken || name == o || strings.HasSuffix(name, "."+o)
	}
	if taken {
		return fmt.Errorf("%q is a name of the cluster's own", name)
	}
	return nil
}
