package overlay

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/vishvananda/netlink"
	utiliptables "k8s.io/kubernetes/pkg/util/iptables"
	"sigs.k8s.io/knftables"
)

// Inventory names what of the network between nodes is on this machine. Of the options only Dir
// and Bridge are looked at.
func Inventory(ctx context.Context, o Options) ([]string, error) {
	var left []string
	routes, err := ourRoutes()
	if err != nil {
		return nil, err
	}
	for _, r := range routes {
		left = append(left, fmt.Sprintf("route %s", r.Dst))
	}
	if l, err := netlink.LinkByName(Interface); err == nil && l.Type() == "vxlan" {
		left = append(left, "interface "+Interface)
	}
	if hasTable(ctx) {
		left = append(left, "nftables table ip "+Table)
	}
	for _, r := range iptablesRules(ctx) {
		left = append(left, "iptables rule "+r)
	}
	if _, err := os.Stat(o.record()); err == nil {
		left = append(left, "file "+o.record())
	}
	return left, nil
}

// Remove removes what Inventory names, and sets the kernel's settings back.
func Remove(ctx context.Context, o Options) error {
	var errs []error
	routes, err := ourRoutes()
	errs = append(errs, err)
	for _, r := range routes {
		if err := netlink.RouteDel(&r); err != nil {
			errs = append(errs, fmt.Errorf("remove the route to %s: %w", r.Dst, err))
		}
	}
	errs = append(errs, removeVXLAN())
	if hasTable(ctx) {
		nft, err := knftables.New(knftables.IPv4Family, Table)
		if err == nil {
			tx := nft.NewTransaction()
			tx.Delete(&knftables.Table{})
			err = nft.Run(ctx, tx)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("remove the nftables table %s: %w", Table, err))
		}
	}
	errs = append(errs, o.removeIPTables(ctx), o.restoreSysctls())
	return errors.Join(errs...)
}

func hasTable(ctx context.Context) bool {
	return exec.CommandContext(ctx, "nft", "list", "table", "ip", Table).Run() == nil
}

// iptablesRules are ours, as iptables-save prints them.
func iptablesRules(ctx context.Context) []string {
	out, err := exec.CommandContext(ctx, "iptables-save").Output()
	if err != nil {
		return nil
	}
	var rules []string
	for line := range strings.Lines(string(out)) {
		ours := strings.Contains(line, comment) || strings.Contains(line, string(chain)) || strings.Contains(line, string(peersChain))
		if strings.HasPrefix(line, "-A") && ours {
			rules = append(rules, strings.TrimSpace(line))
		}
	}
	return rules
}

// removeIPTables removes the rules one by one as they are there: whatever pod CIDR they name.
func (o *Options) removeIPTables(ctx context.Context) error {
	rules := iptablesRules(ctx)
	if len(rules) == 0 {
		return nil
	}
	var errs []error
	ipt := utiliptables.New(utiliptables.ProtocolIPv4)
	for _, r := range o.forwarding() {
		errs = append(errs, ipt.DeleteRule(utiliptables.TableFilter, utiliptables.ChainForward, r...))
	}
	for _, r := range rules {
		for from, table := range map[string]utiliptables.Table{"POSTROUTING": utiliptables.TableNAT, "INPUT": utiliptables.TableFilter} {
			if jump, ok := strings.CutPrefix(r, "-A "+from+" "); ok {
				args := append([]string{"-w", "-t", string(table), "-D", from}, fields(jump)...)
				if out, err := exec.CommandContext(ctx, "iptables", args...).CombinedOutput(); err != nil {
					errs = append(errs, fmt.Errorf("remove the rule %s: %w: %s", r, err, out))
				}
			}
		}
	}
	for table, c := range map[utiliptables.Table]utiliptables.Chain{utiliptables.TableNAT: chain, utiliptables.TableFilter: peersChain} {
		if ipt.FlushChain(table, c) == nil {
			errs = append(errs, ipt.DeleteChain(table, c))
		}
	}
	return errors.Join(errs...)
}

// fields splits a rule as iptables-save prints it: only our comment is quoted.
func fields(rule string) []string {
	before, after, quoted := strings.Cut(rule, `"`+comment+`"`)
	if !quoted {
		return strings.Fields(rule)
	}
	return append(append(strings.Fields(before), comment), strings.Fields(after)...)
}
