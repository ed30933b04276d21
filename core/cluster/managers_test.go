package cluster_test

import (
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// TestFieldsAreManagedByWhoWroteThem: the components share a process, and managedFields name each
// as people know it.
func TestFieldsAreManagedByWhoWroteThem(t *testing.T) {
	client, err := kubernetes.NewForConfig(running.AdminConfig())
	if err != nil {
		t.Fatal(err)
	}
	node, err := client.CoreV1().Nodes().Get(t.Context(), "node-1", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := managers(node); !slices.Equal(got, []string{"kube-controller-manager", "kubelet"}) {
		t.Errorf("a node is managed by %q", got)
	}
	service, err := client.CoreV1().Services("default").Get(t.Context(), "kubernetes", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := managers(service); !slices.Equal(got, []string{"kube-apiserver"}) {
		t.Errorf("the service of the server is managed by %q", got)
	}
}

func managers(object metav1.Object) []string {
	var names []string
	for _, f := range object.GetManagedFields() {
		names = append(names, f.Manager)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
