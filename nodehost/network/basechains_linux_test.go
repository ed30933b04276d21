package network

import (
	"slices"
	"testing"

	"github.com/tabernetes/tabernetes/nodehost/testnet"
)

// What iptables made for the node goes; what was there before, what has rules, and what somebody else
// has put into a table stays.
func TestIPTablesOwnChains(t *testing.T) {
	testnet.Require(t, "nft", "iptables")
	n := testnet.NewNamespace(t)
	there := func() (chains []string) {
		t.Helper()
		var err error
		n.Do(func() { chains, err = BaseChains(t.Context()) })
		if err != nil {
			t.Fatal(err)
		}
		return chains
	}
	n.MustExec(t, "iptables", "-A", "INPUT", "-p", "udp", "--dport", "9", "-j", "DROP")
	n.MustExec(t, "iptables", "-D", "INPUT", "-p", "udp", "--dport", "9", "-j", "DROP")
	before := there()
	if !slices.Equal(before, []string{"ip filter INPUT"}) {
		t.Skipf("this machine's iptables is not of nf_tables: %v", before)
	}
	for _, line := range [][]string{
		{"iptables", "-t", "nat", "-N", "MINE"},
		{"iptables", "-t", "nat", "-A", "POSTROUTING", "-j", "MINE"},
		{"iptables", "-t", "nat", "-D", "POSTROUTING", "-j", "MINE"},
		{"iptables", "-t", "nat", "-X", "MINE"},
		{"iptables", "-A", "FORWARD", "-j", "ACCEPT"},
		{"iptables", "-D", "FORWARD", "-j", "ACCEPT"},
		{"iptables", "-A", "OUTPUT", "-p", "udp", "--dport", "9", "-j", "DROP"},
		{"iptables", "-t", "mangle", "-A", "INPUT", "-j", "ACCEPT"},
		{"iptables", "-t", "mangle", "-D", "INPUT", "-j", "ACCEPT"},
		{"nft", "add set ip mangle theirs { type ipv4_addr; }"},
		{"iptables", "-t", "raw", "-P", "PREROUTING", "DROP"},
	} {
		n.MustExec(t, line[0], line[1:]...)
	}
	for range 2 { // once more is no error
		var err error
		n.Do(func() { err = removeBaseChains(t.Context(), before) })
		if err != nil {
			t.Fatal(err)
		}
		if left, want := there(), []string{"ip filter INPUT", "ip filter OUTPUT", "ip raw PREROUTING"}; !slices.Equal(left, want) {
			t.Errorf("left %v, want %v", left, want)
		}
	}
	if out := n.MustExec(t, "nft", "list", "tables"); out != "table ip filter\ntable ip mangle\ntable ip raw\n" {
		t.Errorf("the tables that are left: %s", out)
	}
}
