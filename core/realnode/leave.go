package realnode

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"

	"github.com/tabernetes/tabernetes/core/realnode/wellknown"
)

// forget deletes the Node of a machine that has left: a node may say so, but has no right to do it
// itself. The control plane then collects what was bound to it; its local volumes are volumes.go's.
func forget(ctx context.Context, client kubernetes.Interface, v *volumes, n *corev1.Node) {
	if n.Annotations[wellknown.LeftAnnotation] == "" || n.Labels[wellknown.KindLabel] != wellknown.Real || n.DeletionTimestamp != nil {
		return
	}
	v.left(n.Name)
	err := client.CoreV1().Nodes().Delete(ctx, n.Name, metav1.DeleteOptions{
		Preconditions: &metav1.Preconditions{UID: &n.UID},
	})
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		klog.ErrorS(err, "The Node of a machine that has left could not be deleted", "node", n.Name)
	}
}
