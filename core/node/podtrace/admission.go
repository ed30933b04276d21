package podtrace

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/kubelet/cm"
	"k8s.io/kubernetes/pkg/kubelet/events"
	"k8s.io/kubernetes/pkg/kubelet/lifecycle"

	"github.com/tabernetes/tabernetes/core/trace"
)

var admissionKind = declare("admission", kubelet+"/allocation", "manager.canAdmitPod", "podAdmitHandler.Admit(attrs)")

// ContainerManager hands in one of the kubelet's admission handlers. Others are asked before and after it, so
// that its own answer decides nothing: what it saw is held until the kubelet has decided (decided).
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
	// OtherPods is how many pods the node has already; 0 if a handler refused before they were counted.
	OtherPods int    `json:"otherPods"`
	Admitted  bool   `json:"admitted"`
	Reason    string `json:"reason,omitempty"`
	Message   string `json:"message,omitempty"`
}

// Admit implements lifecycle.PodAdmitHandler.
func (a admission) Admit(attrs *lifecycle.PodAdmitAttributes) lifecycle.PodAdmitResult {
	pod := attrs.Pod
	a.tap.mu.Lock()
	state := a.tap.know(pod.Namespace, pod.Name, string(pod.UID))
	state.admission = &trace.Step{
		ID: a.tap.bus.Reserve(), At: time.Now(), Kind: admissionKind, Object: state.object(),
		Cause: state.last, Inferred: state.inferred && state.last != 0,
		Details: admissionDetails{Operation: string(attrs.Operation), OtherPods: len(attrs.OtherPods)},
	}
	a.tap.mu.Unlock()
	return a.PodAdmitHandler.Admit(attrs)
}

// synced is called with mu held when a pod's sync begins: what the node takes has one, and what it refuses
// none. It gives the step of the pod's admission, if that is to be told.
func (state *podState) synced() *trace.Step {
	state.isNew = false
	if s := state.admission; s != nil && s.Details.(admissionDetails).Operation == string(lifecycle.AddOperation) {
		return state.decided(true, "", "")
	}
	return nil
}

// recorded is called with mu held when the kubelet records an event about a pod, which is the only thing that
// tells of a refusal: of a new pod (Kubelet.rejectPod), or of a resize (allocation's
// manager.handlePodResourcesResize).
func (state *podState) recorded(bus *trace.Bus, kind, reason, message string) *trace.Step {
	var operation lifecycle.Operation
	admitted := false
	switch {
	case reason == events.ResizeStarted:
		operation, admitted, message = lifecycle.ResizeOperation, true, ""
	case reason == events.ResizeDeferred, reason == events.ResizeInfeasible:
		operation = lifecycle.ResizeOperation
	case state.isNew && kind == corev1.EventTypeWarning:
		operation = lifecycle.AddOperation
	default:
		return nil
	}
	if state.admission == nil {
		if admitted {
			return nil // of which nobody was asked
		}
		state.admission = &trace.Step{
			ID: bus.Reserve(), At: time.Now(), Kind: admissionKind, Object: state.object(),
			Cause: state.last, Inferred: state.inferred && state.last != 0,
			Details: admissionDetails{Operation: string(operation)},
		}
	}
	state.isNew = false
	if admitted {
		reason = ""
	}
	s := state.decided(admitted, reason, message)
	if operation == lifecycle.AddOperation {
		state.sync = s.ID // what is written of the pod now comes of it
	}
	return s
}

// decided gives the step that was held, with what the kubelet has decided.
func (state *podState) decided(admitted bool, reason, message string) *trace.Step {
	s := state.admission
	state.admission = nil
	d := s.Details.(admissionDetails)
	d.Admitted, d.Reason, d.Message = admitted, trace.Text(reason), trace.Text(message)
	s.Details, s.Took = d, time.Since(s.At)
	return s
}
