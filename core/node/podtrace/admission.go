package podtrace

import (
	"time"

	"k8s.io/kubernetes/pkg/kubelet/cm"
	"k8s.io/kubernetes/pkg/kubelet/lifecycle"

	"github.com/tabernetes/tabernetes/core/trace"
)

var admissionKind = declare("admission", kubelet+"/allocation", "manager.canAdmitPod", "podAdmitHandler.Admit(attrs)")

// ContainerManager hands in one of the kubelet's admission handlers, whose turn is a step. Handlers
// before it had nothing against the pod; that one of those after it has is an event, which the kubelet
// records with its reason (rejectPod).
func (t *Tap) ContainerManager(c cm.ContainerManager) cm.ContainerManager {
	if t == nil {
		return c
	}
	return containerManager{c, t}
}

type containerManager struct {
	cm.ContainerManager
	tap *Tap
}

// GetAllocateResourcesPodAdmitHandler implements cm.ContainerManager.
func (c containerManager) GetAllocateResourcesPodAdmitHandler() lifecycle.PodAdmitHandler {
	return admission{c.ContainerManager.GetAllocateResourcesPodAdmitHandler(), c.tap}
}

type admission struct {
	lifecycle.PodAdmitHandler
	tap *Tap
}

type admissionDetails struct {
	Operation string `json:"operation"`
	// OtherPods is how many pods the node has already.
	OtherPods int    `json:"otherPods"`
	Admitted  bool   `json:"admitted"`
	Reason    string `json:"reason,omitempty"`
	Message   string `json:"message,omitempty"`
}

// Admit implements lifecycle.PodAdmitHandler.
func (a admission) Admit(attrs *lifecycle.PodAdmitAttributes) lifecycle.PodAdmitResult {
	began := time.Now()
	result := a.PodAdmitHandler.Admit(attrs)
	pod := attrs.Pod
	a.tap.mu.Lock()
	state := a.tap.know(pod.Namespace, pod.Name, string(pod.UID))
	s := trace.Step{
		At: began, Kind: admissionKind, Object: state.object(), Cause: state.last, Inferred: state.inferred && state.last != 0,
		Details: admissionDetails{
			Operation: string(attrs.Operation), OtherPods: len(attrs.OtherPods), Admitted: result.Admit,
			Reason: trace.Text(result.Reason), Message: trace.Text(result.Message),
		},
	}
	a.tap.mu.Unlock()
	a.tap.tell(s)
	return result
}
