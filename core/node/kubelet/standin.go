package kubelet

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/record"
	internalapi "k8s.io/cri-api/pkg/apis"
	kubelettypes "k8s.io/kubelet/pkg/types"

	"github.com/tabernetes/tabernetes/core/node/image"
)

// standInReason is of the event that tells of a container whose image the tab does not have.
const standInReason = "StandIn"

// standIns warns of each container that is started and runs a stand-in: its pod is Running, and may be
// Ready, and does nothing of what its image would.
type standIns struct {
	internalapi.RuntimeService
	// plain is asked what has been started; nobody is told of that.
	plain    internalapi.RuntimeService
	recorder record.EventRecorder
}

// StartContainer implements internalapi.RuntimeService.
func (s standIns) StartContainer(ctx context.Context, id string) error {
	if err := s.RuntimeService.StartContainer(ctx, id); err != nil {
		return err
	}
	r, err := s.plain.ContainerStatus(ctx, id, false)
	if err != nil {
		return nil // it has been started; the kubelet will see by itself that it is gone
	}
	st := r.GetStatus()
	if !strings.HasPrefix(st.GetImageRef(), image.StandInScheme) {
		return nil
	}
	pod := &corev1.ObjectReference{
		APIVersion: "v1", Kind: "Pod",
		Namespace: st.Labels[kubelettypes.KubernetesPodNamespaceLabel],
		Name:      st.Labels[kubelettypes.KubernetesPodNameLabel],
		UID:       types.UID(st.Labels[kubelettypes.KubernetesPodUIDLabel]),
	}
	s.recorder.Eventf(pod, corev1.EventTypeWarning, standInReason,
		"This tab does not have image %q: container %q runs a stand-in, which has a shell and its tools, otherwise idles, and listens on no port",
		st.GetImage().GetImage(), st.Labels[kubelettypes.KubernetesContainerNameLabel])
	return nil
}
