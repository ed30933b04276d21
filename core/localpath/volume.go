package localpath

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	storagehelpers "k8s.io/component-helpers/storage/volume"
)

// Provisioner makes the volumes (core/localpath/provisioner).
const Provisioner = "local-path.tabernetes.internal"

// Name is that of a claim's volume, as upstream's provisioners name it.
func Name(claim *corev1.PersistentVolumeClaim) string { return "pvc-" + string(claim.UID) }

// Volume is a claim's volume in a directory of a node, bound to the claim.
func Volume(claim *corev1.PersistentVolumeClaim, class, node, dir string) *corev1.PersistentVolume {
	filesystem := corev1.PersistentVolumeFilesystem
	return &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{
			Name:        Name(claim),
			Annotations: map[string]string{storagehelpers.AnnDynamicallyProvisioned: Provisioner},
		},
		Spec: corev1.PersistentVolumeSpec{
			PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimDelete,
			StorageClassName:              class,
			AccessModes:                   claim.Spec.AccessModes,
			VolumeMode:                    &filesystem,
			Capacity:                      corev1.ResourceList{corev1.ResourceStorage: claim.Spec.Resources.Requests[corev1.ResourceStorage]},
			PersistentVolumeSource:        corev1.PersistentVolumeSource{Local: &corev1.LocalVolumeSource{Path: dir}},
			ClaimRef: &corev1.ObjectReference{
				APIVersion: "v1", Kind: "PersistentVolumeClaim", Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID, ResourceVersion: claim.ResourceVersion,
			},
			NodeAffinity: &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
				MatchExpressions: []corev1.NodeSelectorRequirement{{Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpIn, Values: []string{node}}},
			}}}},
		},
	}
}

// Node is the node on which a volume of local-path is; ok is false for every other volume.
func Node(v *corev1.PersistentVolume) (node string, ok bool) {
	if v.Annotations[storagehelpers.AnnDynamicallyProvisioned] != Provisioner || v.Spec.Local == nil ||
		v.Spec.NodeAffinity == nil || v.Spec.NodeAffinity.Required == nil {
		return "", false
	}
	for _, t := range v.Spec.NodeAffinity.Required.NodeSelectorTerms {
		for _, e := range t.MatchExpressions {
			if e.Key == corev1.LabelHostname && e.Operator == corev1.NodeSelectorOpIn && len(e.Values) == 1 {
				return e.Values[0], true
			}
		}
	}
	return "", false
}

// Over says whether a volume is to be removed: its claim has gone, and nobody keeps it.
func Over(v *corev1.PersistentVolume) bool {
	return v.Status.Phase == corev1.VolumeReleased && v.Spec.PersistentVolumeReclaimPolicy == corev1.PersistentVolumeReclaimDelete
}
