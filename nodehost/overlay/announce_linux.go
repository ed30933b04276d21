package overlay

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/tabernetes/tabernetes/nodehost/overlay/ways"
)

// announce writes the endpoint to the node's own Node object, if it is not there already.
func (o *Overlay) announce(ctx context.Context, node *corev1.Node) error {
	want, err := json.Marshal(o.self.Endpoint)
	if err != nil {
		return err
	}
	if node.Annotations[ways.Annotation] == string(want) {
		return nil
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": map[string]string{ways.Annotation: string(want)}}})
	if err != nil {
		return err
	}
	_, err = o.options.Client.CoreV1().Nodes().Patch(ctx, node.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{})
	if err != nil {
		return fmt.Errorf("announce how node %s is reached: %w", node.Name, err)
	}
	return nil
}
