package controlplane

import (
	"context"

	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"

	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/scheduler"
	"github.com/tabernetes/tabernetes/core/trace"
)

// kubeScheduler is upstream's kube-scheduler, for the pods that name one of its profiles. The bus, if there is one, is told
// what it decides.
func kubeScheduler(bus *trace.Bus) program.Program {
	return func(ctx context.Context, p *program.Process) int { return schedule(ctx, p, bus) }
}

func schedule(ctx context.Context, p *program.Process, bus *trace.Bus) int {
	return untilTold(ctx, p, func(ctx context.Context) error {
		h, err := newHome(p, "kube-scheduler")
		if err != nil {
			return err
		}
		defer h.Close()
		logs := textlogger.NewConfig(textlogger.Output(p.Stderr))
		return scheduler.Pod{
			Flags:      p.Args[1:],
			Read:       func(name string) ([]byte, error) { return read(p, name) },
			Listen:     p.Net.Listen,
			Dial:       p.Net.Dial,
			Trace:      bus,
			Kubeconfig: h.kubeconfig, CertFile: h.cert, KeyFile: h.key,
			Dir: h.dir,
		}.Run(klog.NewContext(ctx, textlogger.NewLogger(logs)), logs.Verbosity().Set)
	})
}
