package decision

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// TestElsewhere: a pod that asks for another scheduler is told from one that is this scheduler's, or nobody's.
func TestElsewhere(t *testing.T) {
	r := run(t, node("a", "4"))
	other := func(node string) func(*corev1.Pod) {
		return func(p *corev1.Pod) { p.Spec.SchedulerName, p.Spec.NodeName = "my-scheduler", node }
	}
	r.create(pod("waits", "1", other("")))
	r.create(pod("placed", "1", other("a")))
	r.create(pod("own", "1"))
	for _, name := range []string{"waits", "placed", "own"} {
		for { // the informer hears of it
			if _, err := r.pod("default", name); err == nil {
				break
			} else if t.Context().Err() != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Millisecond)
		}
	}
	for name, want := range map[string]struct {
		scheduler string
		placed    bool
	}{"waits": {"my-scheduler", false}, "placed": {"my-scheduler", true}, "own": {}, "nobody": {}} {
		if scheduler, placed := r.Elsewhere("default", name); scheduler != want.scheduler || placed != want.placed {
			t.Errorf("%s: %q, %t", name, scheduler, placed)
		}
	}
}
