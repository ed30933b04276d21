// Package testnet gives tests machines of their own: network namespaces with veth pairs on a
// switch, which is a bridge in a namespace too. Nothing of the machine's own network is touched,
// and everything is gone when the test ends; what a killed test left is removed by the next.
// Linux, as root; tests are skipped with the reason elsewhere.
//
//	n := testnet.New(t)
//	a := n.Host(t, "192.168.1.11/24")     // eth0 with that address, default route to .1
//	b := n.Host(t, "192.168.2.12/24")     // another subnet: the switch routes
//	c, err := b.Dial("tcp", "192.168.1.11:80")
//
// What has threads of its own (a name server, kube-proxy) needs a process in the namespace:
//
//	func TestMain(m *testing.M) { testnet.Main(m, testnet.Roles{"dns": runDNS}) }
//	p := a.Start(t, "dns", config)        // the test's own binary, in a
//
// For tests only. It may import netlink and the standard library.
package testnet
