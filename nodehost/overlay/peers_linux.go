package overlay

import (
	"bytes"
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"time"

	utiliptables "k8s.io/kubernetes/pkg/util/iptables"
	"sigs.k8s.io/knftables"

	"github.com/tabernetes/tabernetes/nodehost/overlay/ways"
)

// VXLAN asks nobody who he is: whoever reaches the port puts frames among the pods. So only the machines
// are let in that this node has a way to in VXLAN. An address can be forged, in the machine's own network
// above all; what has to be kept from neighbours is encrypted by whoever sends it.

// peersChain is the iptables chain's name, jumped to from filter/INPUT.
const peersChain = utiliptables.Chain("TABERNETES-VXLAN")

// guard is who was let in last, and when: the rules are made again now and then, whoever removed them.
type guard struct {
	peers []netip.Addr
	at    time.Time
}

// admit lets in the peers to which there is a way in VXLAN, and nobody else.
func (o *Overlay) admit(ctx context.Context, to []ways.Way) error {
	var peers []netip.Addr
	for _, w := range to {
		if w.Path == ways.PathVXLAN {
			peers = append(peers, w.IP)
		}
	}
	slices.SortFunc(peers, netip.Addr.Compare)
	peers = slices.Compact(peers)
	if slices.Equal(peers, o.admitted.peers) && time.Since(o.admitted.at) < full {
		return nil
	}
	var err error
	if nft, missing := knftables.New(knftables.IPv4Family, Table); missing == nil {
		err = o.admitNFT(ctx, nft, peers)
	} else {
		err = o.admitIPTables(peers)
	}
	if err != nil {
		return fmt.Errorf("let VXLAN in from other nodes only: %w", err)
	}
	o.admitted = guard{peers, time.Now()}
	return nil
}

func (o *Overlay) admitNFT(ctx context.Context, nft knftables.Interface, peers []netip.Addr) error {
	tx := nft.NewTransaction()
	tx.Add(&knftables.Table{Comment: knftables.PtrTo(comment)})
	set := &knftables.Set{Name: "peers", Type: "ipv4_addr", Comment: knftables.PtrTo("nodes that are reached in VXLAN")}
	tx.Add(set)
	tx.Flush(&knftables.Set{Name: set.Name})
	for _, p := range peers {
		tx.Add(&knftables.Element{Set: set.Name, Key: []string{p.String()}})
	}
	tx.Add(&knftables.Chain{
		Name: "vxlan", Type: knftables.PtrTo(knftables.FilterType), Hook: knftables.PtrTo(knftables.InputHook),
		Priority: knftables.PtrTo(knftables.FilterPriority),
	})
	tx.Flush(&knftables.Chain{Name: "vxlan"})
	// Our network in VXLAN only, whose number is 8+4 bytes into the datagram: others may use the port.
	tx.Add(&knftables.Rule{Chain: "vxlan", Rule: knftables.Concat(
		"udp dport", strconv.Itoa(o.self.Port), "@th,96,24", strconv.Itoa(vni), "ip saddr", "!=", "@"+set.Name, "counter drop")})
	return nft.Run(ctx, tx)
}

// admitIPTables does without the network's number, which not every iptables can look at.
func (o *Overlay) admitIPTables(peers []netip.Addr) error {
	var rules bytes.Buffer
	fmt.Fprintf(&rules, "*filter\n:%s - [0:0]\n", peersChain)
	for _, p := range peers {
		fmt.Fprintf(&rules, "-A %s -s %s/32 -j RETURN\n", peersChain, p)
	}
	fmt.Fprintf(&rules, "-A %s -j DROP\nCOMMIT\n", peersChain)
	ipt := utiliptables.New(utiliptables.ProtocolIPv4)
	if err := ipt.Restore(utiliptables.TableFilter, rules.Bytes(), utiliptables.NoFlushTables, utiliptables.NoRestoreCounters); err != nil {
		return err
	}
	_, err := ipt.EnsureRule(utiliptables.Prepend, utiliptables.TableFilter, utiliptables.ChainInput, peersJump(o.self.Port)...)
	return err
}

func peersJump(port int) []string {
	return []string{"-p", "udp", "-m", "udp", "--dport", strconv.Itoa(port), "-m", "comment", "--comment", comment, "-j", string(peersChain)}
}
