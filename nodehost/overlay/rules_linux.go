package overlay

import (
	"context"
	"fmt"
	"net/netip"
	"os/exec"
	"strings"

	utiliptables "k8s.io/kubernetes/pkg/util/iptables"
	"sigs.k8s.io/knftables"
)

// What a pod sends out of the cluster gets this machine's address; what it sends to other pods
// does not. One table of nftables, or a chain of iptables where the kernel or the program for
// nftables is missing.

// chain is the iptables chain's name, jumped to from nat/POSTROUTING.
const chain = utiliptables.Chain("TABERNETES-POSTROUTING")

const comment = "tabernetes: pods"

func (o *Options) ensureRules(ctx context.Context, pods netip.Prefix) error {
	if nft, err := knftables.New(knftables.IPv4Family, Table); err == nil {
		if err := o.ensureNFT(ctx, nft, pods); err != nil {
			return err
		}
	} else if err := o.ensureIPTables(pods, err); err != nil {
		return err
	}
	return o.ensureForwarding()
}

func (o *Options) ensureNFT(ctx context.Context, nft knftables.Interface, pods netip.Prefix) error {
	tx := nft.NewTransaction()
	tx.Add(&knftables.Table{Comment: knftables.PtrTo(comment)})
	tx.Add(&knftables.Set{Name: "cluster", Type: "ipv4_addr", Flags: []knftables.SetFlag{knftables.IntervalFlag}, Comment: knftables.PtrTo("pods of all nodes, and what is no machine's")})
	tx.Flush(&knftables.Set{Name: "cluster"})
	for _, p := range o.unmasqueraded() {
		tx.Add(&knftables.Element{Set: "cluster", Key: []string{p.String()}})
	}
	tx.Add(&knftables.Chain{
		Name: "postrouting", Type: knftables.PtrTo(knftables.NATType), Hook: knftables.PtrTo(knftables.PostroutingHook),
		Priority: knftables.PtrTo(knftables.SNATPriority),
	})
	tx.Flush(&knftables.Chain{Name: "postrouting"})
	tx.Add(&knftables.Rule{Chain: "postrouting", Rule: knftables.Concat(
		"ip saddr", pods.String(), "ip daddr != @cluster", "oifname !=", o.Bridge, "masquerade fully-random")})
	if err := nft.Run(ctx, tx); err != nil {
		return fmt.Errorf("make the nftables table %s: %w", Table, err)
	}
	return nil
}

// unmasqueraded are the destinations that see a pod's own address.
func (o *Options) unmasqueraded() []netip.Prefix {
	var ps []netip.Prefix
	for _, p := range o.ClusterCIDRs {
		if p.Addr().Is4() {
			ps = append(ps, p.Masked())
		}
	}
	return append(ps, netip.MustParsePrefix("224.0.0.0/4"))
}

func (o *Options) ensureIPTables(pods netip.Prefix, why error) error {
	ipt := utiliptables.New(utiliptables.ProtocolIPv4)
	if _, err := ipt.EnsureChain(utiliptables.TableNAT, chain); err != nil {
		return fmt.Errorf("neither nftables (%w) nor iptables (%w) works here: apt-get install nftables", why, err)
	}
	if err := ipt.FlushChain(utiliptables.TableNAT, chain); err != nil {
		return fmt.Errorf("make the iptables chain %s: %w", chain, err)
	}
	for _, p := range o.unmasqueraded() {
		if _, err := ipt.EnsureRule(utiliptables.Append, utiliptables.TableNAT, chain, "-d", p.String(), "-j", "RETURN"); err != nil {
			return fmt.Errorf("make the iptables chain %s: %w", chain, err)
		}
	}
	if _, err := ipt.EnsureRule(utiliptables.Append, utiliptables.TableNAT, chain, "!", "-o", o.Bridge, "-j", "MASQUERADE"); err != nil {
		return fmt.Errorf("make the iptables chain %s: %w", chain, err)
	}
	if _, err := ipt.EnsureRule(utiliptables.Append, utiliptables.TableNAT, utiliptables.ChainPostrouting, jump(pods)...); err != nil {
		return fmt.Errorf("make the iptables chain %s: %w", chain, err)
	}
	return nil
}

func jump(pods netip.Prefix) []string {
	return []string{"-s", pods.String(), "-m", "comment", "--comment", comment, "-j", string(chain)}
}

// ensureForwarding lets pods' packets through where iptables drops what it does not know, as on
// machines with Docker. No rule of nftables can: a drop is final there.
func (o *Options) ensureForwarding() error {
	if !dropsForwarded() {
		return nil
	}
	ipt := utiliptables.New(utiliptables.ProtocolIPv4)
	for _, rule := range o.forwarding() {
		if _, err := ipt.EnsureRule(utiliptables.Prepend, utiliptables.TableFilter, utiliptables.ChainForward, rule...); err != nil {
			return fmt.Errorf("let packets of pods through: %w", err)
		}
	}
	return nil
}

func dropsForwarded() bool {
	out, err := exec.Command("iptables", "-w", "-S", "FORWARD").Output()
	return err == nil && strings.Contains(string(out), "-P FORWARD DROP")
}

func (o *Options) forwarding() [][]string {
	accept := []string{"-m", "comment", "--comment", comment, "-j", "ACCEPT"}
	return [][]string{append([]string{"-i", o.Bridge}, accept...), append([]string{"-o", o.Bridge}, accept...)}
}
