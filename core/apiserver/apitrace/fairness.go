package apitrace

import (
	"context"
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	utilflowcontrol "k8s.io/apiserver/pkg/util/flowcontrol"
	fq "k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"
)

// fairness tells under which flow schema and priority level a request ran, and how long it stood in a queue. Upstream
// says so by queue, once as it enters and once as it leaves; never of what has no queue, as the level exempt.
type fairness struct{ utilflowcontrol.Interface }

// Handle implements utilflowcontrol.Interface.
func (f *fairness) Handle(ctx context.Context, digest utilflowcontrol.RequestDigest,
	note func(*flowcontrolv1.FlowSchema, *flowcontrolv1.PriorityLevelConfiguration, string),
	estimate func() fcrequest.WorkEstimate, queue fq.QueueNoteFn, execute func(),
) {
	t := of(ctx)
	if t == nil || t.cut != "" {
		f.Interface.Handle(ctx, digest, note, estimate, queue, execute)
		return
	}
	var entered time.Time
	f.Interface.Handle(ctx, digest,
		func(schema *flowcontrolv1.FlowSchema, level *flowcontrolv1.PriorityLevelConfiguration, distinguisher string) {
			t.mu.Lock()
			t.details.FlowSchema, t.details.PriorityLevel = schema.Name, level.Name
			t.mu.Unlock()
			note(schema, level, distinguisher)
		}, estimate,
		func(in bool) {
			t.mu.Lock() // who leaves may be told by the goroutine of another request, which made room
			if in {
				entered = time.Now()
			} else {
				t.details.Waited = milliseconds(entered)
			}
			t.mu.Unlock()
			queue(in)
		}, execute)
}
