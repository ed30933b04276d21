package clienttrace

import (
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tabernetes/tabernetes/core/trace"
)

// TestClaimsAreOfTheirReconcile: an adoption and a release are told below the work that made them, and what
// nothing traced led to is not told.
func TestClaimsAreOfTheirReconcile(t *testing.T) {
	bus := trace.New()
	defer Install(bus)()
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "stray", UID: "p"}}
	set := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web", UID: "r"}}
	Claim(set, pod, true)
	if steps, _ := bus.All(); len(steps) != 0 {
		t.Errorf("untraced work is told: %v", steps)
	}
	cause := bus.Reserve()
	unmark := trace.Mark(cause)
	Claim(set, pod, true)
	Claim(set, pod, false)
	unmark()
	steps, _ := bus.All()
	if len(steps) != 2 || steps[0].Kind != adopted || steps[1].Kind != released || steps[0].Cause != cause {
		t.Fatalf("%+v", steps)
	}
	want := `"type":"v1.Pod","namespace":"default","name":"stray","uid":"p","by":{"type":"v1.ReplicaSet","name":"web","uid":"r"}`
	if text := string(steps[0].JSON(true)); !strings.Contains(text, want) {
		t.Errorf("no %s in %s", want, text)
	}
}
