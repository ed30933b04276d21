package localpath

import (
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ClassName is the StorageClass'. A class of the owner's own with this provisioner has to be called so
// and further: local-path-… (see Policy).
const ClassName = "local-path"

// Class is the StorageClass: its volumes are made where the first pod goes, and may be asked to grow.
func Class() *storagev1.StorageClass {
	expand := true
	reclaim, wait := corev1.PersistentVolumeReclaimDelete, storagev1.VolumeBindingWaitForFirstConsumer
	return &storagev1.StorageClass{
		ObjectMeta:  metav1.ObjectMeta{Name: ClassName},
		Provisioner: Provisioner, ReclaimPolicy: &reclaim, VolumeBindingMode: &wait,
		AllowVolumeExpansion: &expand,
	}
}
