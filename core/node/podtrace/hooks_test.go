package podtrace

import (
	"context"
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/tabernetes/tabernetes/core/trace"
)

// lived is a pod with both hooks, whose requests are full of what is nobody's business.
func lived() *corev1.Pod {
	p := pod("web", "42")
	p.Spec.Containers[0].Lifecycle = &corev1.Lifecycle{
		PostStart: &corev1.LifecycleHandler{HTTPGet: &corev1.HTTPGetAction{
			Host: "canary.example", Path: "/canary?token=canary", Port: intstr.FromInt32(80), Scheme: corev1.URISchemeHTTP,
			HTTPHeaders: []corev1.HTTPHeader{{Name: "X", Value: "canary"}},
		}},
		PreStop: &corev1.LifecycleHandler{Sleep: &corev1.SleepAction{Seconds: 1}},
	}
	return p
}

// TestHooks: a hook that succeeds is a step below its sync, with what it did and for how long; one that fails, runs a
// command or is of no traced sync is none, and nothing of what is asked for is kept.
func TestHooks(t *testing.T) {
	bus := trace.New()
	tap := New(bus, "node-1")
	p := lived()
	c := &p.Spec.Containers[0]
	var during trace.ID
	oneSync(tap, p, func(ctx context.Context) error {
		during = trace.Carried(ctx)
		hooked(ctx, p, c, c.Lifecycle.PostStart)(nil)
		hooked(ctx, p, c, c.Lifecycle.PreStop)(nil)
		hooked(ctx, p, c, c.Lifecycle.PreStop)(errors.New("canary"))
		if hooked(ctx, p, c, &corev1.LifecycleHandler{Exec: &corev1.ExecAction{Command: []string{"canary"}}}) != nil {
			t.Error("a command is told of twice")
		}
		return nil
	})
	if hooked(context.Background(), p, c, c.Lifecycle.PostStart) != nil {
		t.Error("a hook of nobody's sync is told of")
	}
	var got []hookDetails
	steps, _ := bus.All()
	for _, s := range steps {
		if d, ok := s.Details.(hookDetails); ok {
			got = append(got, d)
			if s.Kind.Name != hookKind.Name || (d.By == "sleep") != (s.Kind == sleepKind) || s.Cause != during || s.Inferred ||
				s.Took <= 0 || s.Object.Name != "web" || s.Object.UID != string(p.UID) || s.Node != "node-1" || s.Component != "kubelet" {
				t.Errorf("%s", s.JSON(true))
			}
		}
	}
	if len(got) != 2 || got[0] != (hookDetails{"postStart", "nginx", "httpGet", "80", 0}) || got[1] != (hookDetails{"preStop", "nginx", "sleep", "", 1}) {
		t.Errorf("%+v", got)
	}
	if all := dump(bus); strings.Contains(all, "canary") {
		t.Error(all)
	}
}
