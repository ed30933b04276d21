package cni

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// What portmap leaves in iptables' table nat: a chain and a rule for each pod with host ports,
// until its DEL, and chains of its own for ever. Another network may use the same plugin, so the
// chains go only when no rule is left in them.
const (
	hostPorts   = "CNI-HOSTPORT-DNAT"
	ownRuleMark = `name: \"` + Network + `\" id:`
)

var portmapChains = []string{hostPorts, "CNI-HOSTPORT-SETMARK", "CNI-HOSTPORT-MASQ"}

// hostPortRules are what to feed to iptables-restore to remove what is ours; nothing if nothing is.
// It is two steps: in one, the kernel finds chains busy whose rules go at the same time.
func hostPortRules(saved string) []string {
	var undo, chains []string
	others, there := false, false
	for line := range strings.Lines(saved) {
		line = strings.TrimSpace(line)
		if rule, ok := strings.CutPrefix(line, "-A "+hostPorts+" "); ok {
			if !strings.Contains(rule, ownRuleMark) {
				others = true
				continue
			}
			undo = append(undo, "-D "+hostPorts+" "+rule)
			if _, chain, ok := strings.Cut(rule, " -j "); ok {
				undo, chains = append(undo, "-F "+chain), append(chains, "-X "+chain)
			}
		}
		there = there || strings.HasPrefix(line, ":"+hostPorts+" ")
	}
	if there && !others {
		for line := range strings.Lines(saved) {
			line = strings.TrimSpace(line)
			for _, chain := range portmapChains {
				if rule, ok := strings.CutPrefix(line, "-A "); ok && strings.HasSuffix(rule, " -j "+chain) && !strings.HasPrefix(rule, "CNI-") {
					undo = append(undo, "-D "+rule)
				}
			}
		}
		for _, chain := range portmapChains {
			if strings.Contains(saved, ":"+chain+" ") {
				undo, chains = append(undo, "-F "+chain), append(chains, "-X "+chain)
			}
		}
	}
	if len(undo) == 0 {
		return nil
	}
	step := func(lines []string) string { return "*nat\n" + strings.Join(lines, "\n") + "\nCOMMIT\n" }
	return []string{step(undo), step(chains)}
}

// families are iptables' programs for IPv4 and IPv6.
var families = []string{"iptables", "ip6tables"}

// hostPortLeftovers are what to feed to each family's restore.
func hostPortLeftovers() map[string][]string {
	left := map[string][]string{}
	for _, f := range families {
		out, err := exec.Command(f+"-save", "-t", "nat").Output()
		if err != nil {
			continue // not installed, so nothing was made with it
		}
		if undo := hostPortRules(string(out)); len(undo) > 0 {
			left[f] = undo
		}
	}
	return left
}

func removeHostPorts() error {
	var errs []error
	for family, steps := range hostPortLeftovers() {
		for _, step := range steps {
			cmd := exec.Command(family+"-restore", "-w", "--noflush")
			cmd.Stdin = strings.NewReader(step)
			if out, err := cmd.CombinedOutput(); err != nil {
				errs = append(errs, fmt.Errorf("remove the rules for host ports with %s: %w: %s", family, err, strings.TrimSpace(string(out))))
			}
		}
	}
	return errors.Join(errs...)
}
