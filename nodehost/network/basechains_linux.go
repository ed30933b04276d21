package network

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

// iptables on nf_tables makes the tables and base chains of its own that it needs, and never removes
// them. Empty ones do nothing, and it makes them again when they are missing; still they are a trace.

// baseChains are all that it makes.
var baseChains = []string{"PREROUTING", "INPUT", "FORWARD", "OUTPUT", "POSTROUTING"}

var baseTables = []string{"filter", "nat", "mangle", "raw", "security"}

// object is anything in a table, as `nft --json` prints it.
type object struct {
	Family, Table, Name string
	// Chain is a rule's; Hook and Policy are a base chain's.
	Chain, Hook, Policy string
}

// BaseChains names iptables' own chains that are there, such as "ip filter INPUT". Without the program
// nft there are none.
func BaseChains(ctx context.Context) ([]string, error) {
	tables, err := baseTablesThere(ctx)
	if err != nil {
		return nil, err
	}
	all := []string{}
	for name, t := range tables {
		for _, c := range t.chains {
			all = append(all, name+" "+c.Name)
		}
	}
	slices.Sort(all)
	return all, nil
}

// baseTable is a table with iptables' own name.
type baseTable struct {
	chains []object
	rules  map[string]int // by chain
	others bool           // something that iptables does not make
}

// emptied are the chains that may go: no rule, the policy that there is without them, not there before.
func (t *baseTable) emptied(name string, before []string) (chains []string, whole bool) {
	for _, c := range t.chains {
		own := slices.Contains(baseChains, c.Name) && c.Hook != "" && c.Policy == "accept"
		if own && t.rules[c.Name] == 0 && !slices.Contains(before, name+" "+c.Name) {
			chains = append(chains, c.Name)
		}
	}
	return chains, !t.others && len(chains) == len(t.chains) && !slices.ContainsFunc(before, func(b string) bool {
		return strings.HasPrefix(b, name+" ")
	})
}

func baseTablesThere(ctx context.Context) (map[string]*baseTable, error) {
	if _, err := exec.LookPath("nft"); err != nil {
		return nil, nil
	}
	out, err := exec.CommandContext(ctx, "nft", "--json", "list", "ruleset").Output()
	if err != nil {
		return nil, fmt.Errorf("list iptables' chains: nft: %w", err)
	}
	var ruleset struct{ Nftables []map[string]json.RawMessage }
	if err := json.Unmarshal(out, &ruleset); err != nil {
		return nil, fmt.Errorf("list iptables' chains: %w", err)
	}
	tables := map[string]*baseTable{}
	for _, entry := range ruleset.Nftables {
		for kind, raw := range entry {
			var o object
			if kind == "metainfo" || json.Unmarshal(raw, &o) != nil {
				continue
			}
			if kind == "table" {
				o.Table = o.Name
			}
			if o.Family != "ip" && o.Family != "ip6" || !slices.Contains(baseTables, o.Table) {
				continue
			}
			name := o.Family + " " + o.Table
			t := tables[name]
			if t == nil {
				t = &baseTable{rules: map[string]int{}}
				tables[name] = t
			}
			switch kind {
			case "table":
			case "chain":
				t.chains = append(t.chains, o)
			case "rule":
				t.rules[o.Chain]++
			default:
				t.others = true
			}
		}
	}
	return tables, nil
}

// removeBaseChains removes iptables' own chains that are empty and were not there before. Each table is
// a transaction, in which a chain that has got a rule in the meantime cannot be removed.
func removeBaseChains(ctx context.Context, before []string) error {
	tables, err := baseTablesThere(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for name, t := range tables {
		chains, whole := t.emptied(name, before)
		if len(chains) == 0 && !whole {
			continue
		}
		var do strings.Builder
		for _, c := range chains {
			fmt.Fprintf(&do, "delete chain %s %s\n", name, c)
		}
		if whole {
			fmt.Fprintf(&do, "delete table %s\n", name)
		}
		cmd := exec.CommandContext(ctx, "nft", "-f", "-")
		cmd.Stdin = strings.NewReader(do.String())
		if out, err := cmd.CombinedOutput(); err != nil {
			errs = append(errs, fmt.Errorf("remove iptables' empty chains of %s: %w: %s", name, err, bytes.TrimSpace(out)))
		}
	}
	return errors.Join(errs...)
}
