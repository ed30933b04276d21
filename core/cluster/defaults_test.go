package cluster_test

import (
	"maps"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/client-go/kubernetes"
	rbacrest "k8s.io/kubernetes/pkg/registry/rbac/rest"
	schedulingrest "k8s.io/kubernetes/pkg/registry/scheduling/rest"
)

// TestDefaultsAreWhatUpstreamsHooksWant runs the post-start hooks that a new cluster goes without:
// they must find every object as they would have made it.
func TestDefaultsAreWhatUpstreamsHooksWant(t *testing.T) {
	client, err := kubernetes.NewForConfig(running.AdminConfig())
	if err != nil {
		t.Fatal(err)
	}
	before := versions(t, client)
	if len(before) < 100 {
		t.Fatalf("only %d default objects", len(before))
	}
	for _, provider := range []genericapiserver.PostStartHookProvider{
		rbacrest.RESTStorageProvider{}, schedulingrest.RESTStorageProvider{},
	} {
		name, hook, err := provider.PostStartHook()
		if err != nil {
			t.Fatal(err)
		}
		if err := hook(genericapiserver.PostStartHookContext{Context: t.Context(), LoopbackClientConfig: running.AdminConfig()}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if after := versions(t, client); !maps.Equal(before, after) {
		for object, version := range after {
			if before[object] != version {
				t.Errorf("%s was at %q and is at %s after the hook", object, before[object], version)
			}
		}
	}
}

// versions are the resource versions of the objects that the hooks look after. The aggregated
// roles are left out: a controller fills them while the cluster starts.
func versions(t *testing.T, client kubernetes.Interface) map[string]string {
	t.Helper()
	all := metav1.ListOptions{LabelSelector: "kubernetes.io/bootstrapping=rbac-defaults"}
	found := map[string]string{}
	roles, err := client.RbacV1().ClusterRoles().List(t.Context(), all)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range roles.Items {
		if r.AggregationRule == nil {
			found["clusterrole "+r.Name] = r.ResourceVersion
		}
	}
	bindings, err := client.RbacV1().ClusterRoleBindings().List(t.Context(), all)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range bindings.Items {
		found["clusterrolebinding "+b.Name] = b.ResourceVersion
	}
	namespaced, err := client.RbacV1().Roles("").List(t.Context(), all)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range namespaced.Items {
		found["role "+r.Namespace+"/"+r.Name] = r.ResourceVersion
	}
	namespacedBindings, err := client.RbacV1().RoleBindings("").List(t.Context(), all)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range namespacedBindings.Items {
		found["rolebinding "+b.Namespace+"/"+b.Name] = b.ResourceVersion
	}
	priorities, err := client.SchedulingV1().PriorityClasses().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range priorities.Items {
		if p.Name == "system-node-critical" || p.Name == "system-cluster-critical" {
			found["priorityclass "+p.Name] = p.ResourceVersion
		}
	}
	// Upstream would have changed these while the cluster started.
	schemas, err := client.FlowcontrolV1().FlowSchemas().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range schemas.Items {
		if s.Generation > 1 || len(s.ManagedFields) > 1 {
			t.Errorf("flowschema %s has been changed since: generation %d, %d managers of its fields", s.Name, s.Generation, len(s.ManagedFields))
		}
	}
	levels, err := client.FlowcontrolV1().PriorityLevelConfigurations().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range levels.Items {
		if l.Generation > 1 || len(l.ManagedFields) > 0 {
			t.Errorf("prioritylevelconfiguration %s has been changed since: generation %d, %d managers of its fields", l.Name, l.Generation, len(l.ManagedFields))
		}
	}
	accounts, err := client.CoreV1().ServiceAccounts(metav1.NamespaceSystem).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range accounts.Items {
		// "default" is made in each namespace.
		if len(a.ManagedFields) > 0 && a.Name != "default" {
			t.Errorf("service account %s was not there from the beginning", a.Name)
		}
	}
	return found
}
