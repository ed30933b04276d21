package kubelet

import (
	"context"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"
	upstream "k8s.io/kubernetes/pkg/kubelet"
	kubeletconfig "k8s.io/kubernetes/pkg/kubelet/apis/config"
	"k8s.io/kubernetes/pkg/kubelet/config"
	kubetypes "k8s.io/kubernetes/pkg/kubelet/types"
	kubeletutil "k8s.io/kubernetes/pkg/kubelet/util"
)

// nodePoll is how often the pod source looks whether the kubelet knows its own
// node. The look is a read of a map in this process.
const nodePoll = 10 * time.Millisecond

// podSource is where the kubelet's pods come from: the API, and the node's folder of static pods.
//
// The kubelet would make the same (makePodSourceConfig), but its wait for the node (so that admission
// sees the node's labels) looks once before the answer can be there and then
// sleeps a whole second. Here the wait ends when the node is known.
type podSource struct {
	kubelet atomic.Pointer[upstream.Kubelet]
}

func (p *podSource) config(ctx context.Context, client kubernetes.Interface, nodeName string, s *kubeletconfig.KubeletConfiguration, recorder record.EventRecorderLogger, tracker kubeletutil.PodStartupLatencyTracker, booted <-chan struct{}) *config.PodConfig {
	cfg := config.NewPodConfig(recorder, tracker)
	config.NewSourceFile(klog.FromContext(ctx), s.StaticPodPath, types.NodeName(nodeName), s.FileCheckFrequency.Duration,
		anewWhenBooted(ctx, cfg.Channel(ctx, kubetypes.FileSource), booted))
	config.NewSourceApiserver(klog.FromContext(ctx), client, types.NodeName(nodeName),
		func() bool { return p.waitForNode(ctx) }, cfg.Channel(ctx, kubetypes.ApiserverSource))
	return cfg
}

// waitForNode blocks until the kubelet's own cache holds its node. It returns
// false only if ctx ends.
func (p *podSource) waitForNode(ctx context.Context) bool {
	tick := time.NewTicker(nodePoll)
	defer tick.Stop()
	for {
		if kl := p.kubelet.Load(); kl != nil {
			if _, err := kl.GetNode(ctx); err == nil {
				return true
			}
		}
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
	}
}
