package podtrace

import (
	"context"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"

	"github.com/tabernetes/tabernetes/core/trace"
)

// succeeded is what upstream's prober logs of a probe that succeeds: nothing else of it can be seen from
// outside. The line has to stand there, or the place of the step is not found.
const (
	succeeded      = "Probe succeeded"
	succeededLevel = 3
)

var probeKind = declare("probe", kubelet+"/prober", "prober.probe", `logger.V(3).Info("`+succeeded+`",`)

// probeDetails are of a probe that succeeded. One that fails is an event (kubelet.event).
type probeDetails struct {
	// Probe is "Startup", "Readiness" or "Liveness".
	Probe     string `json:"probe"`
	Container string `json:"container"`
	Result    string `json:"result"`
	// By is how: "httpGet", "tcpSocket", "grpc" or "exec"; empty if the pod's spec was not seen.
	By string `json:"by,omitempty"`
	// Port is that which is asked, Period how often, in seconds.
	Port   string `json:"port,omitempty"`
	Period int32  `json:"periodSeconds,omitempty"`
	// Same is how many came out the same before it, since one was told.
	Same int `json:"sameBefore,omitempty"`
}

// withProbes is ctx for a pod's sync, with a logger that hears of probes: upstream gives the sync's context
// to the pod's probe workers, which log by it (prober.manager.AddPod).
func (t *Tap) withProbes(ctx context.Context) context.Context {
	logger := klog.FromContext(ctx).WithCallDepth(1)
	if logger.GetSink() == nil { // that of nobody
		return ctx
	}
	return klog.NewContext(ctx, logger.WithSink(&probeSink{logger.GetSink(), t, trace.Carried(ctx)}))
}

// probeSink is a logger's sink which passes on what it is given.
type probeSink struct {
	logr.LogSink
	tap   *Tap
	cause trace.ID
}

var _ logr.CallDepthLogSink = (*probeSink)(nil)

// Enabled implements logr.LogSink.
func (s *probeSink) Enabled(level int) bool {
	return level == succeededLevel || s.LogSink.Enabled(level)
}

// Info implements logr.LogSink.
func (s *probeSink) Info(level int, message string, keysAndValues ...any) {
	if level == succeededLevel && message == succeeded {
		s.tap.probed(s.cause, keysAndValues)
	}
	if s.LogSink.Enabled(level) {
		s.LogSink.Info(level, message, keysAndValues...)
	}
}

// WithValues implements logr.LogSink.
func (s *probeSink) WithValues(keysAndValues ...any) logr.LogSink {
	return &probeSink{s.LogSink.WithValues(keysAndValues...), s.tap, s.cause}
}

// WithName implements logr.LogSink.
func (s *probeSink) WithName(name string) logr.LogSink {
	return &probeSink{s.LogSink.WithName(name), s.tap, s.cause}
}

// WithCallDepth implements logr.CallDepthLogSink.
func (s *probeSink) WithCallDepth(depth int) logr.LogSink {
	below := s.LogSink
	if deep, ok := below.(logr.CallDepthLogSink); ok {
		below = deep.WithCallDepth(depth)
	}
	return &probeSink{below, s.tap, s.cause}
}

// probed tells of a probe that succeeded, by what is logged of it.
func (t *Tap) probed(cause trace.ID, keysAndValues []any) {
	d := probeDetails{Result: "success"}
	var uid string
	for i := 0; i+1 < len(keysAndValues); i += 2 {
		switch value := keysAndValues[i+1]; keysAndValues[i] {
		case "probeType":
			d.Probe = trace.Text(fmt.Sprint(value))
		case "podUID":
			uid = fmt.Sprint(value)
		case "containerName":
			d.Container = trace.Text(fmt.Sprint(value))
		}
	}
	t.mu.Lock()
	state := t.pods[uid]
	if state == nil {
		t.mu.Unlock()
		return
	}
	tell, same := t.repeats.Tell(probeKey(uid, d.Container, d.Probe), d.Result)
	if p := state.probes[d.Container+" "+d.Probe]; p != nil {
		d.By, d.Port, d.Period = p.By, p.Port, p.Period
	}
	s := trace.Step{At: time.Now(), Kind: probeKind, Object: state.object(), Cause: cause}
	if s.Cause == 0 {
		s.Cause, s.Inferred = state.sync, state.sync != 0
	}
	if tell {
		s.ID = t.bus.Reserve()
		state.learned(s.ID, true)
		state.noticed = s.ID
	}
	t.mu.Unlock()
	if !tell {
		return
	}
	d.Same = same
	s.Details = d
	t.tell(s)
}

func probeKey(uid, container, probe string) string { return uid + " " + container + " " + probe }

// probesOf are a pod's probes, by container and kind of probe, without what they ask for: a path, a header
// or a command may be a secret.
func probesOf(pod *corev1.Pod) map[string]*probeDetails {
	var all map[string]*probeDetails
	for _, list := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range list {
			for kind, p := range map[string]*corev1.Probe{
				"Startup": list[i].StartupProbe, "Readiness": list[i].ReadinessProbe, "Liveness": list[i].LivenessProbe,
			} {
				if p == nil || len(all) >= maxNames {
					continue
				}
				if all == nil {
					all = map[string]*probeDetails{}
				}
				all[trace.Text(list[i].Name)+" "+kind] = probeOf(p)
			}
		}
	}
	return all
}

func probeOf(p *corev1.Probe) *probeDetails {
	d := &probeDetails{Period: p.PeriodSeconds}
	switch {
	case p.HTTPGet != nil:
		d.By, d.Port = "httpGet", trace.Text(p.HTTPGet.Port.String())
	case p.TCPSocket != nil:
		d.By, d.Port = "tcpSocket", trace.Text(p.TCPSocket.Port.String())
	case p.GRPC != nil:
		d.By = "grpc"
	case p.Exec != nil:
		d.By = "exec"
	}
	return d
}
