package kubelet

import (
	"context"
	"sync"

	_ "k8s.io/component-base/metrics/prometheus/clientgo" // rest_client_…, as cmd/kubelet/kubelet.go has it
	kubeletmetrics "k8s.io/kubernetes/pkg/kubelet/metrics"
	"k8s.io/kubernetes/pkg/kubelet/prober"

	"github.com/tabernetes/tabernetes/core/node/logind"
	"github.com/tabernetes/tabernetes/core/node/ownmetrics"
)

// inTab is what one kubelet has for itself of what upstream takes to be the machine's.
type inTab struct{ logind *logind.Manager }

// begin runs start, whose goroutines are those of a kubelet: what they measure is its own, and l is its machine's logind.
func begin(ctx context.Context, node string, l *logind.Manager, start func(context.Context)) {
	prepareMetrics()
	ownmetrics.Begin(ctx, node, &inTab{l}, start)
}

// mine is what the kubelet has that this goroutine belongs to, or nil.
func mine() *inTab {
	k, _ := ownmetrics.Mine().(*inTab)
	return k
}

// prepareMetrics keeps kubelets' metrics apart before there is one that writes to them. Upstream registers those first
// when a kubelet runs; those of probes, /metrics/probes, in a registry of each kubelet's own.
var prepareMetrics = sync.OnceFunc(func() {
	kubeletmetrics.Register()
	ownmetrics.Apart(prober.ProberResults)
	ownmetrics.Apart(prober.ProberDuration)
})
