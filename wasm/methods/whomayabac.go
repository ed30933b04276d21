package methods

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/apiserver/pkg/apis/apiserver/load"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/kubernetes/pkg/apis/abac"
	abacauthorizer "k8s.io/kubernetes/pkg/auth/authorizer/abac"

	"github.com/tabernetes/tabernetes/core/configuration"
)

// inTheChain is an authorizer that is asked, in order.
type inTheChain struct {
	// Type is upstream's: Node, RBAC, ABAC, Webhook, AlwaysAllow, AlwaysDeny.
	Type string `json:"type"`
	Name string `json:"name"`
}

// defaultModes are those of a cluster whose configuration says nothing of it (core/apiserver).
const defaultModes = "Node,RBAC"

// chainOf is which authorizers a configuration has asked, by upstream's own loader.
func chainOf(files configuration.Files) (chain []inTheChain, err error) {
	if files.Has(configuration.Authorization) {
		c, err := load.LoadFromData(files[configuration.Authorization])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", configuration.Authorization, err)
		}
		for _, a := range c.Authorizers {
			chain = append(chain, inTheChain{string(a.Type), a.Name})
		}
		return chain, nil
	}
	flags, err := files.Flags(configuration.APIServerFlags)
	if err != nil {
		return nil, err
	}
	modes := defaultModes
	for _, f := range flags {
		if name, value, _ := strings.Cut(f, "="); strings.ReplaceAll(name, "_", "-") == "--authorization-mode" {
			modes = value
		}
	}
	for _, mode := range strings.Split(modes, ",") {
		chain = append(chain, inTheChain{mode, strings.ToLower(mode)})
	}
	return chain, nil
}

// byABAC are to whom the policies give a right: upstream's authorizer is asked of each of them, for whom it names.
func byABAC(ctx context.Context, files configuration.Files, right authorizer.AttributesRecord) (found []subject, err error) {
	dir, err := os.MkdirTemp("", "abac-") // upstream reads files
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, configuration.ABAC)
	if err := os.WriteFile(path, files[configuration.ABAC], 0o600); err != nil {
		return nil, err
	}
	policies, err := abacauthorizer.NewFromFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", configuration.ABAC, err)
	}
	for _, p := range policies {
		right.User = &user.DefaultInfo{Name: p.Spec.User, Groups: []string{p.Spec.Group}}
		if decision, _, err := (abacauthorizer.PolicyList{p}).Authorize(ctx, right); err != nil || decision != authorizer.DecisionAllow {
			continue
		}
		found = append(found, abacSubject(p))
	}
	return found, nil
}

// abacSubject is whom a policy is for: a user, a group, or, if it names both, a user who is in it.
func abacSubject(p *abac.Policy) subject {
	name, group := p.Spec.User, p.Spec.Group
	switch {
	case name == "*" && (group == "" || group == "*"), name == "" && group == "*":
		return subject{Kind: "Group", Name: user.AllAuthenticated, By: "ABAC"}
	case name == "" || name == "*":
		return subject{Kind: "Group", Name: group, By: "ABAC"}
	case group == "" || group == "*":
		return subject{Kind: "User", Name: name, By: "ABAC"}
	}
	return subject{Kind: "User", Name: name, Group: group, By: "ABAC"}
}
