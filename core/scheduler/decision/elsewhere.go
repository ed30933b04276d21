package decision

import "github.com/tabernetes/tabernetes/core/trace"

// Elsewhere is the name of the scheduler that a pod asks for, if that is none of this one's profiles, and whether the
// pod has a node. The name is empty for a pod that is this scheduler's, and for one that it does not know.
func (d *Decisions) Elsewhere(namespace, name string) (scheduler string, placed bool) {
	pod, err := d.pod(namespace, name)
	if err != nil || d.inner[pod.Spec.SchedulerName] != nil {
		return "", false
	}
	return trace.Text(pod.Spec.SchedulerName), pod.Spec.NodeName != ""
}
