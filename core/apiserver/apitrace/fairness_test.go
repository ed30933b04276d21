package apitrace

import (
	"context"
	"testing"
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilflowcontrol "k8s.io/apiserver/pkg/util/flowcontrol"
	fq "k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"
)

// queues is priority and fairness with one level, which has a queue or none. Finding the level takes its time.
type queues struct {
	utilflowcontrol.Interface
	queued bool
}

func (q queues) Handle(_ context.Context, _ utilflowcontrol.RequestDigest,
	note func(*flowcontrolv1.FlowSchema, *flowcontrolv1.PriorityLevelConfiguration, string),
	_ func() fcrequest.WorkEstimate, queue fq.QueueNoteFn, execute func(),
) {
	named := metav1.ObjectMeta{Name: "it"}
	note(&flowcontrolv1.FlowSchema{ObjectMeta: named}, &flowcontrolv1.PriorityLevelConfiguration{ObjectMeta: named}, "")
	if q.queued {
		queue(true)
	}
	time.Sleep(2 * time.Millisecond)
	if q.queued {
		queue(false)
	}
	execute()
}

// TestWaitedIsInAQueue: what a level without a queue lets through has not waited, however long the level took to be found.
func TestWaitedIsInAQueue(t *testing.T) {
	for _, queued := range []bool{false, true} {
		served := &request{}
		var told []bool
		executed := false
		f := &fairness{queues{queued: queued}}
		f.Handle(served.in(t.Context()), utilflowcontrol.RequestDigest{},
			func(*flowcontrolv1.FlowSchema, *flowcontrolv1.PriorityLevelConfiguration, string) {}, nil,
			func(in bool) { told = append(told, in) }, func() { executed = true })
		if waited := served.details.Waited; waited > 0 != queued {
			t.Errorf("queued %t: waited %v ms", queued, waited)
		}
		if !executed || len(told) > 0 != queued || served.details.PriorityLevel != "it" {
			t.Errorf("queued %t: executed %t, upstream was told %v, level %q", queued, executed, told, served.details.PriorityLevel)
		}
	}
}
