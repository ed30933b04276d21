package manifest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"
)

// Options say what goes into a manifest.
type Options struct {
	// Secrets has Secrets in it.
	Secrets bool
}

// pageSize is how many objects are asked for at a time.
const pageSize = 500

// kind is one that can be listed and created.
type kind struct {
	schema.GroupVersionResource
	name  string // "Deployment"
	order int
}

// first are the kinds that others need, in the order in which they are applied; last come those that could
// refuse others. What is between, CustomResources among it, comes by name.
var (
	first = []string{
		"namespaces", "customresourcedefinitions.apiextensions.k8s.io", "priorityclasses.scheduling.k8s.io",
		"runtimeclasses.node.k8s.io", "storageclasses.storage.k8s.io", "ingressclasses.networking.k8s.io",
		"resourcequotas", "limitranges", "serviceaccounts",
		"clusterroles.rbac.authorization.k8s.io", "clusterrolebindings.rbac.authorization.k8s.io",
		"roles.rbac.authorization.k8s.io", "rolebindings.rbac.authorization.k8s.io",
		"secrets", "configmaps", "persistentvolumes", "persistentvolumeclaims", "services",
	}
	last = []string{
		"deployments.apps", "statefulsets.apps", "daemonsets.apps", "replicasets.apps", "replicationcontrollers",
		"jobs.batch", "cronjobs.batch", "pods", "poddisruptionbudgets.policy", "horizontalpodautoscalers.autoscaling",
		"networkpolicies.networking.k8s.io", "ingresses.networking.k8s.io", "apiservices.apiregistration.k8s.io",
		"validatingadmissionpolicies.admissionregistration.k8s.io", "validatingadmissionpolicybindings.admissionregistration.k8s.io",
		"mutatingadmissionpolicies.admissionregistration.k8s.io", "mutatingadmissionpolicybindings.admissionregistration.k8s.io",
		"validatingwebhookconfigurations.admissionregistration.k8s.io", "mutatingwebhookconfigurations.admissionregistration.k8s.io",
	}
)

// Write writes the manifest, and returns how many objects it has.
func Write(ctx context.Context, w io.Writer, config *rest.Config, o Options) (objects int, err error) {
	found, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return 0, fmt.Errorf("read every object: %w", err)
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return 0, fmt.Errorf("read every object: %w", err)
	}
	kinds, err := kindsOf(found, o)
	if err != nil {
		return 0, fmt.Errorf("read every object: %w", err)
	}
	for _, k := range kinds {
		n, err := writeKind(ctx, w, client, k)
		if err != nil {
			return objects, fmt.Errorf("read every object of %s: %w", k.GroupResource(), err)
		}
		objects += n
	}
	return objects, nil
}

// kindsOf are the kinds whose objects people make, in order.
func kindsOf(client discovery.DiscoveryInterface, o Options) ([]kind, error) {
	lists, err := client.ServerPreferredResources()
	if err != nil && !discovery.IsGroupDiscoveryFailedError(err) { // a group whose server is away has nothing to tell
		return nil, err
	}
	var kinds []kind
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return nil, err
		}
		for _, r := range list.APIResources {
			k := kind{GroupVersionResource: gv.WithResource(r.Name), name: r.Kind}
			resource := k.GroupResource().String()
			if strings.Contains(r.Name, "/") || !slices.Contains(r.Verbs, "list") || !slices.Contains(r.Verbs, "create") ||
				slices.Contains(made, resource) || resource == "secrets" && !o.Secrets {
				continue
			}
			if at := slices.Index(first, resource); at >= 0 {
				k.order = at - len(first)
			} else if at := slices.Index(last, resource); at >= 0 {
				k.order = at + 1
			}
			kinds = append(kinds, k)
		}
	}
	slices.SortStableFunc(kinds, func(a, b kind) int {
		return cmp.Or(cmp.Compare(a.order, b.order), strings.Compare(a.GroupResource().String(), b.GroupResource().String()))
	})
	return kinds, nil
}

func writeKind(ctx context.Context, w io.Writer, client dynamic.Interface, k kind) (objects int, err error) {
	for next := ""; ; {
		list, err := client.Resource(k.GroupVersionResource).List(ctx, metav1.ListOptions{Limit: pageSize, Continue: next})
		if apierrors.IsNotFound(err) || apierrors.IsMethodNotSupported(err) {
			return objects, nil // its definition is gone meanwhile
		}
		if err != nil {
			return objects, err
		}
		for i := range list.Items {
			o := &list.Items[i]
			if !worthHaving(o, k.GroupResource().String()) {
				continue
			}
			clean(o, k.GroupResource().String())
			text, err := yaml.Marshal(o.Object)
			if err == nil {
				_, err = io.WriteString(w, "---\n"+string(text))
			}
			if err != nil {
				return objects, errors.Join(fmt.Errorf("write %s", name(o)), err)
			}
			objects++
		}
		if next = list.GetContinue(); next == "" {
			return objects, nil
		}
	}
}

func name(o *unstructured.Unstructured) string {
	return fmt.Sprintf("%s %s/%s", o.GetKind(), o.GetNamespace(), o.GetName())
}
