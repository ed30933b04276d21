package cluster_test

import (
	"context"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/tabernetes/tabernetes/core/bootstrap"
	"github.com/tabernetes/tabernetes/core/localpath"
	"github.com/tabernetes/tabernetes/core/pki"
	"github.com/tabernetes/tabernetes/scripts/eventually"
)

var dryRun = metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}

// A node that has been taken over does not choose its pod CIDRs, and makes no pods, and no volume but
// local-path's on itself. What a kubelet does all the time it may still do.
func TestWhatANodeMayWrite(t *testing.T) {
	ctx := t.Context()
	owner, err := kubernetes.NewForConfig(running.AdminConfig())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { forgetMachines(t, owner) })
	if err := bootstrap.ConfineNodes(owner); err != nil {
		t.Fatal(err)
	}
	if err := bootstrap.AllowNodesTheirVolumes(owner); err != nil {
		t.Fatal(err)
	}
	config := running.AdminConfig()
	config.Impersonate = rest.ImpersonationConfig{UserName: "system:node:evil", Groups: []string{"system:nodes", "system:authenticated"}}
	evil, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}

	node := func(cidrs ...string) *corev1.Node {
		return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "evil"}, Spec: corev1.NodeSpec{PodCIDRs: cidrs}}
	}
	refused := func(err error, because string) bool { return err != nil && strings.Contains(err.Error(), because) }
	const chosen, foreign = "controller manager's to choose", "local volumes of its own only"
	// The API server takes a moment to know a new policy.
	eventually.True(t, "nodes choose no pod CIDR", func() bool {
		_, err := evil.CoreV1().Nodes().Create(ctx, node("128.0.0.0/1"), dryRun)
		return refused(err, chosen)
	})
	for _, cidr := range []string{"0.0.0.0/0", "10.244.0.0/16", "10.244.200.0/24", "192.168.1.0/25"} {
		if _, err := evil.CoreV1().Nodes().Create(ctx, node(cidr), dryRun); !refused(err, chosen) {
			t.Errorf("a node chooses the pod CIDR %s: %v", cidr, err)
		}
	}
	only := node()
	only.Spec.PodCIDR = "10.244.200.0/24"
	if _, err := evil.CoreV1().Nodes().Create(ctx, only, dryRun); !refused(err, chosen) {
		t.Errorf("a node chooses its pod CIDR by the older field: %v", err)
	}
	if _, err := evil.CoreV1().Nodes().Create(ctx, node(), metav1.CreateOptions{}); err != nil {
		t.Fatalf("a node cannot make its Node: %v", err)
	}
	if _, err := evil.CoreV1().Nodes().Patch(ctx, "evil", types.MergePatchType, []byte(`{"spec":{"podCIDRs":["128.0.0.0/1"],"podCIDR":"128.0.0.0/1"}}`), metav1.PatchOptions{}); err == nil {
		t.Error("a node chooses a pod CIDR after it has made its Node")
	}
	if _, err := evil.CoreV1().Nodes().Patch(ctx, "evil", types.MergePatchType, []byte(`{"metadata":{"annotations":{"x":"y"}}}`), metav1.PatchOptions{}); err != nil {
		t.Errorf("a node cannot write on its Node: %v", err)
	}
	eventually.True(t, "the controller manager gives the node a pod CIDR", func() bool {
		n, err := owner.CoreV1().Nodes().Get(ctx, "evil", metav1.GetOptions{})
		return err == nil && len(n.Spec.PodCIDRs) == 1
	})

	// What would stand for a static pod of its own, where a Service of others leads.
	mirror := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: "kube-system", Name: "mirror-evil", Labels: map[string]string{"k8s-app": "somebody-elses"},
		Annotations: map[string]string{corev1.MirrorPodAnnotationKey: "x"},
	}}
	if made, err := owner.CoreV1().Nodes().Get(ctx, "evil", metav1.GetOptions{}); err == nil {
		controller := true
		mirror.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: "evil", UID: made.UID, Controller: &controller}}
	}
	mirror.Spec = corev1.PodSpec{NodeName: "evil", Containers: []corev1.Container{{Name: "x", Image: "nginx"}}}
	eventually.True(t, "nodes make no pods", func() bool {
		_, err := evil.CoreV1().Pods("kube-system").Create(ctx, mirror, dryRun)
		return refused(err, "a node makes no pods")
	})
	// An in-tab node's kubelet is this process; its static pods are shown.
	config.Impersonate.Groups = append(config.Impersonate.Groups, pki.InTabNodes)
	inTab, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	mirror.Annotations[corev1.MirrorPodAnnotationKey] = "y"
	if _, err := inTab.CoreV1().Pods("kube-system").Create(ctx, mirror, dryRun); err != nil {
		t.Errorf("an in-tab node cannot show a static pod: %v", err)
	}

	claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "data", UID: "11111111-2222-3333-4444-555555555555"}}
	claim.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}
	claim.Spec.Resources.Requests = corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Mi")}
	volume := func(change func(*corev1.PersistentVolume)) *corev1.PersistentVolume {
		v := localpath.Volume(claim, localpath.ClassName, "evil", "/x")
		change(v)
		return v
	}
	volumes := evil.CoreV1().PersistentVolumes()
	eventually.True(t, "nodes make no volume but their own", func() bool {
		_, err := volumes.Create(ctx, volume(func(v *corev1.PersistentVolume) { v.Spec.StorageClassName = "" }), dryRun)
		return refused(err, foreign)
	})
	for what, change := range map[string]func(*corev1.PersistentVolume){
		"of another class":        func(v *corev1.PersistentVolume) { v.Spec.StorageClassName = "manual" },
		"of a class like ours":    func(v *corev1.PersistentVolume) { v.Spec.StorageClassName = "local-pathology" },
		"for whoever claims it":   func(v *corev1.PersistentVolume) { v.Spec.ClaimRef = nil },
		"for a claim by its name": func(v *corev1.PersistentVolume) { v.Spec.ClaimRef.UID = "" },
		"for another claim":       func(v *corev1.PersistentVolume) { v.Spec.ClaimRef.UID = "66666666-2222-3333-4444-555555555555" },
		"on another node": func(v *corev1.PersistentVolume) {
			v.Spec.NodeAffinity.Required.NodeSelectorTerms[0].MatchExpressions[0].Values[0] = "node-1"
		},
		"of another kind": func(v *corev1.PersistentVolume) {
			v.Spec.Local, v.Spec.HostPath = nil, &corev1.HostPathVolumeSource{Path: "/x"}
		},
	} {
		if _, err := volumes.Create(ctx, volume(change), dryRun); !refused(err, foreign) {
			t.Errorf("a node makes a volume %s: %v", what, err)
		}
	}
	for _, class := range []string{localpath.ClassName, "local-path-kept"} {
		if _, err := volumes.Create(ctx, volume(func(v *corev1.PersistentVolume) { v.Spec.StorageClassName = class }), dryRun); err != nil {
			t.Errorf("a node cannot make its own volume of class %s: %v", class, err)
		}
	}
}

// forgetMachines takes away what this test has made for machines.
func forgetMachines(t *testing.T, owner kubernetes.Interface) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	gone := metav1.DeleteOptions{}
	admission, rbac := owner.AdmissionregistrationV1(), owner.RbacV1()
	errs := []error{
		owner.CoreV1().Nodes().Delete(ctx, "evil", gone),
		rbac.ClusterRoles().Delete(ctx, localpath.RoleName, gone),
		rbac.ClusterRoleBindings().Delete(ctx, localpath.RoleName, gone),
	}
	for _, policy := range []string{localpath.PolicyName, "node-claims.tabernetes.internal", "node-pods.tabernetes.internal"} {
		errs = append(errs,
			admission.ValidatingAdmissionPolicyBindings().Delete(ctx, policy, gone), admission.ValidatingAdmissionPolicies().Delete(ctx, policy, gone))
	}
	for _, err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
}
