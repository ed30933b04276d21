package methods

import (
	"context"
	"errors"
	"fmt"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/client-go/kubernetes"
	rbaclisters "k8s.io/client-go/listers/rbac/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac"

	"github.com/tabernetes/tabernetes/core/configuration"
	"github.com/tabernetes/tabernetes/wasm/port"
)

// whoMayParams is what somebody may do, as in a SubjectAccessReview.
type whoMayParams struct {
	Verb        string `json:"verb"`
	Group       string `json:"group"`
	Resource    string `json:"resource"`
	Subresource string `json:"subresource"`
	Namespace   string `json:"namespace"`
	Name        string `json:"name"`
	// Path is a non-resource URL; empty for a resource.
	Path string `json:"path"`
}

type whoMayResult struct {
	// Chain are the authorizers that are asked, in order.
	Chain []inTheChain `json:"chain"`
	// Subjects are whom those of them give it that can be asked for everybody: RBAC and ABAC.
	Subjects []subject `json:"subjects"`
	// More is how many there are besides.
	More int `json:"more"`
	// Problem says what could not be followed: a binding to a role that is not there.
	Problem string `json:"problem,omitempty"`
}

type subject struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	// Group is one that the user has to be in, too, by a policy of ABAC.
	Group string `json:"group,omitempty"`
	// By is the authorizer's type; empty for the group that no authorizer binds.
	By string `json:"by,omitempty"`
}

// maxSubjects is how many are told of.
const maxSubjects = 200

// WhoMay serves `whoMay`: which authorizers are asked, and to whom they give a right: RBAC's bindings, by upstream's own
// SubjectAccessEvaluator over what the API lists, and ABAC's policies. Others cannot be asked for everybody.
func WhoMay(config func(context.Context) (*rest.Config, error), files func(context.Context) (configuration.Files, error)) port.Handler {
	return func(ctx context.Context, c *port.Call) (any, error) {
		var p whoMayParams
		if err := c.Params(&p); err != nil {
			return nil, fmt.Errorf("ask who may: %w", err)
		}
		to, err := config(ctx)
		if err != nil {
			return nil, fmt.Errorf("ask who may: %w", err)
		}
		of, err := files(ctx)
		if err != nil {
			return nil, fmt.Errorf("ask who may: %w", err)
		}
		result, err := whoMay(ctx, to, of, authorizer.AttributesRecord{
			Verb: p.Verb, APIGroup: p.Group, Resource: p.Resource, Subresource: p.Subresource,
			Namespace: p.Namespace, Name: p.Name, Path: p.Path, ResourceRequest: p.Path == "",
		})
		if err != nil {
			return nil, fmt.Errorf("ask who may: %w", err)
		}
		return result, nil
	}
}

func whoMay(ctx context.Context, to *rest.Config, files configuration.Files, right authorizer.AttributesRecord) (*whoMayResult, error) {
	chain, err := chainOf(files)
	if err != nil {
		return nil, err
	}
	// Upstream asks no authorizer of them.
	found, problems := []subject{{Kind: "Group", Name: user.SystemPrivilegedGroup}}, []error{}
	for _, a := range chain {
		switch a.Type {
		case "RBAC":
			evaluator, err := evaluator(ctx, to)
			if err != nil {
				return nil, err
			}
			right.User = &user.DefaultInfo{} // nobody: a rule is not about whom it binds
			bound, err := evaluator.AllowedSubjects(ctx, right)
			problems = append(problems, err)
			for _, s := range bound {
				if s.Kind != rbacv1.GroupKind || s.Name != user.SystemPrivilegedGroup {
					found = append(found, subject{Kind: s.Kind, Namespace: s.Namespace, Name: s.Name, By: a.Type})
				}
			}
		case "ABAC":
			bound, err := byABAC(ctx, files, right)
			problems = append(problems, err)
			found = append(found, bound...)
		}
	}
	result := &whoMayResult{Chain: chain, Subjects: []subject{}}
	if err := errors.Join(problems...); err != nil {
		result.Problem = err.Error()
	}
	seen := map[subject]bool{}
	for _, one := range found {
		switch {
		case seen[one]:
		case len(result.Subjects) < maxSubjects:
			result.Subjects = append(result.Subjects, one)
		default:
			result.More++
		}
		seen[one] = true
	}
	return result, nil
}

// evaluator is upstream's over what there is now.
func evaluator(ctx context.Context, config *rest.Config) (*rbac.SubjectAccessEvaluator, error) {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	index := func() cache.Indexer {
		return cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	}
	roles, bindings, clusterRoles, clusterBindings := index(), index(), index(), index()
	all := metav1.ListOptions{ResourceVersion: "0"}
	if list, err := client.RbacV1().Roles("").List(ctx, all); err != nil {
		return nil, err
	} else if err := add(roles, list.Items); err != nil {
		return nil, err
	}
	if list, err := client.RbacV1().RoleBindings("").List(ctx, all); err != nil {
		return nil, err
	} else if err := add(bindings, list.Items); err != nil {
		return nil, err
	}
	if list, err := client.RbacV1().ClusterRoles().List(ctx, all); err != nil {
		return nil, err
	} else if err := add(clusterRoles, list.Items); err != nil {
		return nil, err
	}
	if list, err := client.RbacV1().ClusterRoleBindings().List(ctx, all); err != nil {
		return nil, err
	} else if err := add(clusterBindings, list.Items); err != nil {
		return nil, err
	}
	return rbac.NewSubjectAccessEvaluator(
		&rbac.RoleGetter{Lister: rbaclisters.NewRoleLister(roles)},
		&rbac.RoleBindingLister{Lister: rbaclisters.NewRoleBindingLister(bindings)},
		&rbac.ClusterRoleGetter{Lister: rbaclisters.NewClusterRoleLister(clusterRoles)},
		&rbac.ClusterRoleBindingLister{Lister: rbaclisters.NewClusterRoleBindingLister(clusterBindings)}, ""), nil
}

func add[T rbacv1.Role | rbacv1.RoleBinding | rbacv1.ClusterRole | rbacv1.ClusterRoleBinding](to cache.Indexer, items []T) error {
	for i := range items {
		if err := to.Add(&items[i]); err != nil {
			return err
		}
	}
	return nil
}
