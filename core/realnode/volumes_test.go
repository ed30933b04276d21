package realnode

import (
	"maps"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	storagehelpers "k8s.io/component-helpers/storage/volume"

	"github.com/tabernetes/tabernetes/core/localpath"
	"github.com/tabernetes/tabernetes/core/realnode/wellknown"
	"github.com/tabernetes/tabernetes/scripts/eventually"
)

// localVolume is one as core/localpath/provisioner makes it.
func localVolume(name, node string, phase corev1.PersistentVolumePhase) *corev1.PersistentVolume {
	v := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{
		Name: name, UID: types.UID(name),
		Annotations: map[string]string{storagehelpers.AnnDynamicallyProvisioned: localpath.Provisioner},
	}}
	v.Spec.PersistentVolumeReclaimPolicy = corev1.PersistentVolumeReclaimDelete
	v.Spec.Local = &corev1.LocalVolumeSource{Path: "/volumes/" + name}
	v.Spec.ClaimRef = &corev1.ObjectReference{APIVersion: "v1", Kind: "PersistentVolumeClaim", Namespace: "default", Name: "claim-of-" + name}
	v.Spec.NodeAffinity = &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
		MatchExpressions: []corev1.NodeSelectorRequirement{{Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpIn, Values: []string{node}}},
	}}}}
	v.Status.Phase = phase
	return v
}

// A machine leaves: of its volumes those go that nobody claims, and one that is claimed when its claim
// has gone. Its owner is told. Everybody else's volumes stay.
func TestVolumesOfANodeThatHasLeft(t *testing.T) {
	left := realNode("left", "r", "10.244.7.0/24")
	left.UID = "u"
	kept := localVolume("kept", "left", corev1.VolumeReleased)
	kept.Spec.PersistentVolumeReclaimPolicy = corev1.PersistentVolumeReclaimRetain
	others := localVolume("somebody-elses", "left", corev1.VolumeReleased)
	others.Annotations = nil
	claimed := localVolume("claimed", "left", corev1.VolumeBound)
	client := fake.NewClientset([]runtime.Object{
		left, realNode("stays", "r2", "10.244.8.0/24"), kept, others, claimed,
		localVolume("free", "left", corev1.VolumeReleased),
		localVolume("of-one-deleted-before", "ghost", corev1.VolumeReleased),
		localVolume("of-one-that-stays", "stays", corev1.VolumeReleased),
	}...)
	ctx := running(t, client)
	await := func(want ...string) {
		t.Helper()
		eventually.True(t, "there are only the volumes "+strings.Join(want, ", "), func() bool {
			all, err := client.CoreV1().PersistentVolumes().List(ctx, metav1.ListOptions{})
			if err != nil {
				return false
			}
			names := map[string]bool{}
			for _, v := range all.Items {
				names[v.Name] = true
			}
			return slices.Equal(slices.Sorted(maps.Keys(names)), want)
		})
	}
	await("claimed", "free", "kept", "of-one-that-stays", "somebody-elses") // that of a node deleted before has gone
	left = left.DeepCopy()
	left.Annotations[wellknown.LeftAnnotation] = "now"
	if _, err := client.CoreV1().Nodes().Update(ctx, left, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	await("claimed", "kept", "of-one-that-stays", "somebody-elses")
	eventually.True(t, "the owner is told of the claim's data", func() bool {
		events, err := client.CoreV1().Events("default").List(ctx, metav1.ListOptions{})
		return err == nil && len(events.Items) == 1 && events.Items[0].Reason == "NodeLeft" && events.Items[0].InvolvedObject.Name == "claim-of-claimed"
	})
	claimed = claimed.DeepCopy() // its claim is deleted
	claimed.Status.Phase = corev1.VolumeReleased
	if _, err := client.CoreV1().PersistentVolumes().UpdateStatus(ctx, claimed, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	await("kept", "of-one-that-stays", "somebody-elses")
}
