package cri

import (
	"context"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/tabernetes/tabernetes/core/node/podnet"
)

// metricLabels are the labels of every metric, in the order of their values.
var metricLabels = []string{"id", "name"}

// podMetrics are the metrics of a pod, under cAdvisor's names.
var podMetrics = []struct {
	descriptor *runtimeapi.MetricDescriptor
	kind       runtimeapi.MetricType
	value      func(*podnet.Pod) uint64
}{
	{
		&runtimeapi.MetricDescriptor{Name: "container_network_receive_bytes_total", Help: "Cumulative count of bytes received"},
		runtimeapi.MetricType_COUNTER,
		func(p *podnet.Pod) uint64 { rx, _ := p.Traffic(); return rx },
	},
	{
		&runtimeapi.MetricDescriptor{Name: "container_network_transmit_bytes_total", Help: "Cumulative count of bytes transmitted"},
		runtimeapi.MetricType_COUNTER,
		func(p *podnet.Pod) uint64 { _, tx := p.Traffic(); return tx },
	},
}

// ListMetricDescriptors names what ListPodSandboxMetrics gives: what is really measured.
func (r *Runtime) ListMetricDescriptors(context.Context) ([]*runtimeapi.MetricDescriptor, error) {
	if err := r.enter(); err != nil {
		return nil, err
	}
	var list []*runtimeapi.MetricDescriptor
	for _, m := range podMetrics {
		list = append(list, &runtimeapi.MetricDescriptor{Name: m.descriptor.Name, Help: m.descriptor.Help, LabelKeys: metricLabels})
	}
	return list, nil
}

// ListPodSandboxMetrics gives the metrics of pods that have a network of their own.
func (r *Runtime) ListPodSandboxMetrics(context.Context) ([]*runtimeapi.PodSandboxMetrics, error) {
	if err := r.enter(); err != nil {
		return nil, err
	}
	var list []*runtimeapi.PodSandboxMetrics
	for _, s := range r.listSandboxes("", nil) {
		if s.onHost || s.state() != runtimeapi.PodSandboxState_SANDBOX_READY {
			continue
		}
		pm := &runtimeapi.PodSandboxMetrics{PodSandboxId: s.id}
		for _, m := range podMetrics {
			pm.Metrics = append(pm.Metrics, &runtimeapi.Metric{
				Name: m.descriptor.Name, MetricType: m.kind,
				LabelValues: []string{s.id, s.config.GetMetadata().GetName()},
				Value:       &runtimeapi.UInt64Value{Value: m.value(s.network)},
			})
		}
		list = append(list, pm)
	}
	return list, nil
}
