package testnet

import "testing"

// A host that joins changes nothing for those that are there, whatever its port's MAC.
func TestAHostThatJoinsChangesNoRouter(t *testing.T) {
	Require(t, "ping")
	n := New(t)
	n.Host(t, "192.168.1.11/24")
	b := n.Host(t, "192.168.2.12/24")
	ping := func() (string, error) { return b.Exec("ping", "-c1", "-W5", "192.168.1.11") }
	if _, err := ping(); err != nil { // the router's MAC is known from now on
		t.Fatal(err)
	}
	// As a host's end at the switch, with the lowest MAC that there is.
	n.sw.MustExec(t, "ip", "link", "add", "low", "address", "02:00:00:00:00:00", "type", "veth", "peer", "name", "end")
	n.sw.MustExec(t, "ip", "link", "set", "low", "master", "br0", "up")
	if out, err := ping(); err != nil {
		t.Errorf("%v\n%s%s", err, b.MustExec(t, "ip", "neigh"), out)
	}
}
