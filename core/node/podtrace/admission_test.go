package podtrace

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/record"
	"k8s.io/kubernetes/pkg/kubelet/cm"
	"k8s.io/kubernetes/pkg/kubelet/events"
	"k8s.io/kubernetes/pkg/kubelet/lifecycle"

	"github.com/tabernetes/tabernetes/core/trace"
)

type admits struct{}

func (admits) Admit(*lifecycle.PodAdmitAttributes) lifecycle.PodAdmitResult {
	return lifecycle.PodAdmitResult{Admit: true}
}

type admittingManager struct{ cm.ContainerManager }

func (admittingManager) GetAllocateResourcesPodAdmitHandler() lifecycle.PodAdmitHandler {
	return admits{}
}

// TestAdmissionIsWhatTheKubeletDecides: the handler that is seen says yes each time; handlers before it and behind
// it may refuse, which an event says.
func TestAdmissionIsWhatTheKubeletDecides(t *testing.T) {
	bus := trace.New()
	tap := New(bus, "node-1")
	handler := tap.ContainerManager(admittingManager{}).GetAllocateResourcesPodAdmitHandler()
	recorder := tap.Recorder(record.NewFakeRecorder(16))
	admit := func(p *corev1.Pod, operation lifecycle.Operation) {
		t.Helper()
		if !handler.Admit(&lifecycle.PodAdmitAttributes{Pod: p, OtherPods: []*corev1.Pod{{}, {}}, Operation: operation}).Admit {
			t.Error("the handler's answer is another")
		}
	}
	sync := func(p *corev1.Pod) { oneSync(tap, p, func(context.Context) error { return nil }) }
	expect := func(p *corev1.Pod, want ...admissionDetails) {
		t.Helper()
		steps, _ := bus.All()
		var got []admissionDetails
		for i := range steps {
			if steps[i].Kind == admissionKind && steps[i].Object.Name == p.Name {
				got = append(got, steps[i].Details.(admissionDetails))
			}
		}
		if len(got) != len(want) {
			t.Fatalf("%+v\nwant %+v", got, want)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%+v\nwant %+v", got[i], want[i])
			}
		}
	}
	seen := func(name string) *corev1.Pod {
		p := pod(name, "1")
		tap.seen(p, seenKind, details(p, "ADD", "api"))
		return p
	}

	taken := seen("taken")
	admit(taken, lifecycle.AddOperation)
	expect(taken) // nothing is decided yet
	sync(taken)
	sync(taken)
	took := admissionDetails{Operation: "add", OtherPods: 2, Admitted: true}
	expect(taken, took)
	recorder.Event(taken, "Warning", "BackOff", "a container crashes")
	expect(taken, took)

	behind := seen("behind") // a handler behind it refuses
	admit(behind, lifecycle.AddOperation)
	recorder.Eventf(behind, "Warning", "OutOfcpu", "%s", "no room")
	refused := admissionDetails{Operation: "add", OtherPods: 2, Reason: "OutOfcpu", Message: "no room"}
	expect(behind, refused)
	s := last(t, bus, admissionKind)
	if e := last(t, bus, eventKind); e.Cause != s.ID || s.Cause != last(t, bus, seenKind).ID {
		t.Errorf("%s\n%s", s.JSON(true), e.JSON(true))
	}
	sync(behind) // as the worker of one that has ended
	expect(behind, refused)

	before := seen("before") // a handler before it refuses: it was not asked
	recorder.Event(before, "Warning", "SysctlForbidden", "not in the list")
	expect(before, admissionDetails{Operation: "add", Reason: "SysctlForbidden", Message: "not in the list"})

	// A resize is tried again and again, and decided when the kubelet says so.
	for range 3 {
		admit(taken, lifecycle.ResizeOperation)
	}
	sync(taken)
	expect(taken, took)
	recorder.Event(taken, "Warning", events.ResizeDeferred, "later")
	admit(taken, lifecycle.ResizeOperation)
	recorder.Event(taken, "Normal", events.ResizeStarted, "from 1 to 2")
	recorder.Event(taken, "Normal", events.ResizeStarted, "of which nobody was asked")
	expect(taken, took,
		admissionDetails{Operation: "resize", OtherPods: 2, Reason: events.ResizeDeferred, Message: "later"},
		admissionDetails{Operation: "resize", OtherPods: 2, Admitted: true})
}
