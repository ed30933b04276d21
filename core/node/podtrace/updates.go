package podtrace

import (
	"context"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	kubetypes "k8s.io/kubernetes/pkg/kubelet/types"

	"k8s.io/kubernetes/pkg/apis/core/v1/helper/qos"

	"github.com/tabernetes/tabernetes/core/trace"
)

var (
	seenKind    = declare("pod", kubelet, "Kubelet.HandlePodAdditions", "kl.podManager.AddPod(pod)")
	updatedKind = declare("podUpdate", kubelet, "Kubelet.HandlePodUpdates", "kl.podManager.UpdatePod(pod)")
)

// podDetails are what the kubelet makes of a pod's spec.
type podDetails struct {
	Operation string `json:"operation"`
	Source    string `json:"source,omitempty"`
	QOS       string `json:"qosClass,omitempty"`
	// Directory holds the pod's volumes and its plugins' files, Logs its containers' logs; both as
	// the node's programs see them.
	Directory   string   `json:"directory,omitempty"`
	Logs        string   `json:"logs,omitempty"`
	PullSecrets []string `json:"pullSecrets,omitempty"` // names
	Volumes     []string `json:"volumes,omitempty"`     // names
	Containers  []string `json:"containers,omitempty"`  // names, init containers first
}

// maxNames bounds each list of podDetails.
const maxNames = 32

// Updates passes on what the pod sources send, and tells of it first.
func (t *Tap) Updates(ctx context.Context, in <-chan kubetypes.PodUpdate) <-chan kubetypes.PodUpdate {
	if t == nil {
		return in
	}
	out := make(chan kubetypes.PodUpdate)
	go func() {
		defer close(out)
		for {
			select {
			case update, open := <-in:
				if !open {
					return
				}
				t.update(update)
				select {
				case out <- update:
				case <-ctx.Done():
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}

func (t *Tap) update(u kubetypes.PodUpdate) {
	for _, pod := range u.Pods {
		switch u.Op {
		case kubetypes.ADD:
			t.seen(pod, seenKind, details(pod, "ADD", u.Source))
		case kubetypes.UPDATE:
			t.seen(pod, updatedKind, &podDetails{Operation: "UPDATE", Source: u.Source})
		case kubetypes.DELETE:
			t.seen(pod, updatedKind, &podDetails{Operation: "DELETE", Source: u.Source})
		case kubetypes.REMOVE:
			t.seen(pod, updatedKind, &podDetails{Operation: "REMOVE", Source: u.Source})
		}
		// RECONCILE is the kubelet's own status, which comes back.
	}
}

// seen tells of a pod as the API has it now: it comes of the write that made this version of it. Of a pod that it
// knows the kubelet takes over what has changed, and not the version (checkAndUpdatePod in
// pkg/kubelet/config/config.go): it comes of what was written last.
func (t *Tap) seen(pod *corev1.Pod, kind *trace.Kind, d *podDetails) {
	s := trace.Step{Kind: kind, At: time.Now(), Details: d, Object: trace.Object{
		Version: "v1", Resource: "pods", Namespace: pod.Namespace, Name: pod.Name, UID: string(pod.UID),
	}}
	if kind == seenKind {
		s.Object.ResourceVersion = pod.ResourceVersion
		if revision, err := strconv.ParseInt(pod.ResourceVersion, 10, 64); err == nil {
			s.Cause = t.bus.Revision(revision)
		}
	}
	if s.Cause == 0 {
		s.Cause = t.bus.Latest(string(pod.UID))
		s.Inferred = s.Cause != 0
	}
	s.ID = t.bus.Reserve()
	t.mu.Lock()
	state := t.know(pod.Namespace, pod.Name, string(pod.UID))
	state.learned(s.ID, false)
	if kind == seenKind {
		state.probes, state.isNew = probesOf(pod), true
	}
	t.mu.Unlock()
	t.tell(s)
}

func details(pod *corev1.Pod, operation, source string) *podDetails {
	d := &podDetails{
		Operation: operation, Source: source, QOS: string(qos.GetPodQOS(pod)),
		Directory: "/var/lib/kubelet/pods/" + string(pod.UID),
		Logs:      "/var/log/pods/" + pod.Namespace + "_" + pod.Name + "_" + string(pod.UID),
	}
	for _, s := range pod.Spec.ImagePullSecrets {
		d.PullSecrets = appendName(d.PullSecrets, s.Name)
	}
	for _, v := range pod.Spec.Volumes {
		d.Volumes = appendName(d.Volumes, v.Name)
	}
	for _, c := range pod.Spec.InitContainers {
		d.Containers = appendName(d.Containers, c.Name)
	}
	for _, c := range pod.Spec.Containers {
		d.Containers = appendName(d.Containers, c.Name)
	}
	return d
}

func appendName(list []string, name string) []string {
	if len(list) >= maxNames {
		return list
	}
	return append(list, trace.Text(name))
}
