package podtrace

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/tabernetes/tabernetes/core/trace"
)

// Upstream says nothing of a lifecycle hook that succeeds. One that runs a command is a call of the runtime
// (cri.ExecSync), and one that fails an event (kubelet.event).
var (
	hookKind  = declare("hook", kubelet+"/lifecycle", "handlerRunner.Run", "err := hr.runHTTPHandler(")
	sleepKind = hookKind.Where("sleep", trace.Place{
		Package: kubelet + "/lifecycle", Func: "handlerRunner.Run", Text: "err := hr.runSleepHandler(",
	})
)

// hookDetails are of a lifecycle hook that succeeded, without what it asked for: a path or a header may be a
// secret.
type hookDetails struct {
	// Hook is "postStart" or "preStop".
	Hook      string `json:"hook"`
	Container string `json:"container"`
	// By is how: "httpGet" or "sleep".
	By string `json:"by"`
	// Port is that which was asked; Seconds how long it was to sleep.
	Port    string `json:"port,omitempty"`
	Seconds int64  `json:"seconds,omitempty"`
}

type tapKey struct{}

// withHooks is ctx for a pod's sync: upstream gives it to the pod's hooks, and so it is known which node's
// they are.
func (t *Tap) withHooks(ctx context.Context) context.Context {
	return context.WithValue(ctx, tapKey{}, t)
}

// hooked is called as a hook begins, and what it returns as it ends; it is nil for one that is not told of.
func hooked(ctx context.Context, pod *corev1.Pod, container *corev1.Container, handler *corev1.LifecycleHandler) (ended func(error)) {
	t, ok := ctx.Value(tapKey{}).(*Tap)
	if !ok {
		return nil
	}
	d := hookDetails{Hook: "preStop", Container: trace.Text(container.Name)}
	if l := container.Lifecycle; l != nil && l.PostStart == handler {
		d.Hook = "postStart"
	}
	s := trace.Step{ID: t.bus.Reserve(), At: time.Now(), Kind: hookKind, Cause: trace.Carried(ctx)}
	switch {
	case handler.HTTPGet != nil:
		d.By, d.Port = "httpGet", trace.Text(handler.HTTPGet.Port.String())
	case handler.Sleep != nil:
		s.Kind, d.By, d.Seconds = sleepKind, "sleep", handler.Sleep.Seconds
	default:
		return nil
	}
	s.Details = d
	return func(err error) {
		if err == nil {
			t.tellOf(pod, s)
		}
	}
}
