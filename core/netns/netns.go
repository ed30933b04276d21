package netns

import (
	"net/netip"
	"os"
)

// The addresses that are local in the namespace. They are those of
// core/cluster: everything in ClusterCIDR (pods 10.244.0.0/16, services
// 10.96.0.0/16) can be listened on; NodeAddrs are on the interface as well,
// because the kubelet looks for its address there.
var (
	ClusterCIDR = netip.MustParsePrefix("10.0.0.0/8")
	NodeAddrs   = []netip.Addr{ // the API server, then the nodes
		netip.MustParseAddr("172.30.0.10"),
		netip.MustParseAddr("172.30.0.11"),
		netip.MustParseAddr("172.30.0.12"),
		netip.MustParseAddr("172.30.0.13"),
	}
)

// unavailable says why the process has no network of its own; empty if it has.
var unavailable string

// Main is the body of a TestMain: it runs m's tests in a network of their own
// and ends the process with their exit code. addrs are added to NodeAddrs. Where
// the kernel forbids namespaces it says so and runs the tests without; those
// that cannot do without call Require.
func Main(m interface{ Run() int }, addrs ...netip.Addr) {
	Enter(addrs...)
	os.Exit(m.Run())
}

// Require skips a test that needs the network if the process has not got it.
func Require(t interface {
	Helper()
	Skip(args ...any)
}) {
	t.Helper()
	if unavailable != "" {
		t.Skip("no network namespace: " + unavailable)
	}
}
