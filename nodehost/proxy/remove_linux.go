package proxy

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"strings"

	"k8s.io/kubernetes/pkg/proxy/iptables"
	"k8s.io/kubernetes/pkg/proxy/nftables"
	utiliptables "k8s.io/kubernetes/pkg/util/iptables"
)

// Inventory names what of kube-proxy's rules are on this machine, and of the kubelet's: it makes
// some iptables chains that kube-proxy uses as well.
func Inventory(ctx context.Context) []string {
	var left []string
	for _, family := range []string{"ip", "ip6"} {
		if exec.CommandContext(ctx, "nft", "list", "table", family, "kube-proxy").Run() == nil {
			left = append(left, "nftables table "+family+" kube-proxy")
		}
	}
	out, err := exec.CommandContext(ctx, "iptables-save").Output()
	if err != nil {
		return left
	}
	for line := range bytes.Lines(out) {
		if chain, ok := strings.CutPrefix(string(line), ":KUBE-"); ok {
			chain, _, _ = strings.Cut(chain, " ")
			left = append(left, "iptables chain KUBE-"+chain)
		}
	}
	return left
}

// Remove removes what Inventory names.
func Remove(ctx context.Context) error {
	failed := nftables.CleanupLeftovers(ctx)
	if _, err := exec.LookPath("iptables"); err == nil {
		failed = iptables.CleanupLeftovers(ctx) || failed
	}
	failed = removeShared() || failed
	if failed {
		return errors.New("kube-proxy's rules were not all removed; the log says which")
	}
	return nil
}

// shared are the chains that upstream's clean-up leaves, because the kubelet has them, too. A
// node that leaves has no kubelet either.
var shared = map[utiliptables.Table][]utiliptables.Chain{
	utiliptables.TableFilter:     {"KUBE-FIREWALL", "KUBE-KUBELET-CANARY"},
	utiliptables.TableNAT:        {"KUBE-KUBELET-CANARY"},
	utiliptables.Table("mangle"): {"KUBE-IPTABLES-HINT", "KUBE-KUBELET-CANARY", "KUBE-PROXY-CANARY"},
}

func removeShared() (failed bool) {
	for _, ipt := range utiliptables.NewBestEffort() {
		for table, chains := range shared {
			for _, chain := range chains {
				if exists, err := ipt.ChainExists(table, chain); err != nil || !exists {
					continue
				}
				for _, from := range []utiliptables.Chain{utiliptables.ChainInput, utiliptables.ChainOutput} {
					if err := ipt.DeleteRule(table, from, "-j", string(chain)); err != nil && !utiliptables.IsNotFoundError(err) {
						failed = true
					}
				}
				if ipt.FlushChain(table, chain) != nil || ipt.DeleteChain(table, chain) != nil {
					failed = true
				}
			}
		}
	}
	return failed
}
