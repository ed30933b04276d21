package provisioner

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// grows is the volume of these nodes that a claim is bound to, if the claim asks for more than it has; nil otherwise.
// What asks for less is left alone, as by external-resizer.
func (v *volumes) grows(claim *corev1.PersistentVolumeClaim) *corev1.PersistentVolume {
	if claim.Spec.VolumeName == "" || claim.Status.Phase != corev1.ClaimBound || claim.DeletionTimestamp != nil {
		return nil
	}
	asked := claim.Spec.Resources.Requests[corev1.ResourceStorage]
	has := claim.Status.Capacity[corev1.ResourceStorage]
	if asked.Cmp(has) <= 0 {
		return nil
	}
	volume, err := v.volumes.Get(claim.Spec.VolumeName)
	if err != nil || volume.DeletionTimestamp != nil {
		return nil
	}
	// Whose claim it is the volume has to say, too.
	if ref := volume.Spec.ClaimRef; ref == nil || ref.UID != claim.UID {
		return nil
	}
	if _, err := v.own(volume); err != nil {
		return nil
	}
	return volume
}

// expand writes down that a volume is as large as its claim asks: a directory has all that its node's disk has, so that
// there is nothing else to do. It is what sig-storage's external-resizer does for drivers that do nothing on nodes
// (pkg/controller/controller.go, markPVCResizeFinished).
func (v *volumes) expand(ctx context.Context, claim *corev1.PersistentVolumeClaim, volume *corev1.PersistentVolume) error {
	asked := claim.Spec.Resources.Requests[corev1.ResourceStorage]
	if has := volume.Spec.Capacity[corev1.ResourceStorage]; asked.Cmp(has) > 0 {
		patch, err := sized(volume.UID, "spec", asked)
		if err != nil {
			return err
		}
		if _, err := v.client.CoreV1().PersistentVolumes().Patch(ctx, volume.Name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
			return fmt.Errorf("write the volume's new size: %w", err)
		}
	}
	patch, err := sized(claim.UID, "status", asked)
	if err != nil {
		return err
	}
	_, err = v.client.CoreV1().PersistentVolumeClaims(claim.Namespace).Patch(ctx, claim.Name, types.MergePatchType, patch, metav1.PatchOptions{}, "status")
	if apierrors.IsForbidden(err) {
		// A node may write the status of claims that its pods use: of this one its kubelet does when a pod comes.
		return nil
	}
	if err != nil {
		return fmt.Errorf("write the claim's new size: %w", err)
	}
	v.events.Eventf(claim, corev1.EventTypeNormal, "VolumeResizeSuccessful", "The volume's size is %s now; nothing limits it but its node's disk", asked.String())
	return nil
}

// sized is a patch of the capacity in a part of an object, and of no other one that has its name meanwhile.
func sized(uid types.UID, part string, size resource.Quantity) ([]byte, error) {
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"uid": uid},
		part:       map[string]any{"capacity": corev1.ResourceList{corev1.ResourceStorage: size}},
	})
	if err != nil {
		return nil, fmt.Errorf("write a volume's size: %w", err)
	}
	return patch, nil
}
