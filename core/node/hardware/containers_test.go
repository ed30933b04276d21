package hardware

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/cadvisor/container"
	cadvisorapi "github.com/google/cadvisor/info/v1"
	cadvisorapiv2 "github.com/google/cadvisor/info/v2"
	"github.com/google/cadvisor/metrics"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	"k8s.io/utils/clock"
)

// aPod is a runtime with one pod of two containers, one of which has gone by the time that somebody looks at it.
type aPod struct{ containers }

var podLabels = map[string]string{"io.kubernetes.pod.name": "web", "io.kubernetes.pod.namespace": "shop", "io.kubernetes.pod.uid": "u-1"}

func (aPod) container(id string) *runtimeapi.ContainerStats {
	return &runtimeapi.ContainerStats{
		Attributes: &runtimeapi.ContainerAttributes{Id: id, Labels: map[string]string{
			"io.kubernetes.pod.name": "web", "io.kubernetes.pod.namespace": "shop", "io.kubernetes.container.name": "main",
		}},
		Cpu:    &runtimeapi.CpuUsage{Timestamp: 5e9, UsageCoreNanoSeconds: &runtimeapi.UInt64Value{Value: 25e8}},
		Memory: &runtimeapi.MemoryUsage{WorkingSetBytes: &runtimeapi.UInt64Value{Value: 4096}},
	}
}

func (p aPod) ListContainerStats(context.Context, *runtimeapi.ContainerStatsFilter) ([]*runtimeapi.ContainerStats, error) {
	return []*runtimeapi.ContainerStats{p.container("c-1")}, nil
}

func (p aPod) ListPodSandboxStats(context.Context, *runtimeapi.PodSandboxStatsFilter) ([]*runtimeapi.PodSandboxStats, error) {
	return []*runtimeapi.PodSandboxStats{{
		Attributes: &runtimeapi.PodSandboxAttributes{Id: "s-1", Labels: podLabels, Metadata: &runtimeapi.PodSandboxMetadata{Uid: "u-1"}},
		Linux: &runtimeapi.LinuxPodSandboxStats{
			Cpu:    &runtimeapi.CpuUsage{Timestamp: 5e9, UsageCoreNanoSeconds: &runtimeapi.UInt64Value{Value: 3e9}},
			Memory: &runtimeapi.MemoryUsage{WorkingSetBytes: &runtimeapi.UInt64Value{Value: 5000}},
			Network: &runtimeapi.NetworkUsage{DefaultInterface: &runtimeapi.NetworkInterfaceUsage{
				Name: "eth0", RxBytes: &runtimeapi.UInt64Value{Value: 7}, TxBytes: &runtimeapi.UInt64Value{Value: 8},
			}},
			Process:    &runtimeapi.ProcessUsage{ProcessCount: &runtimeapi.UInt64Value{Value: 3}},
			Containers: []*runtimeapi.ContainerStats{p.container("c-1"), p.container("gone")},
		},
	}}, nil
}

func (aPod) ListPodSandbox(context.Context, *runtimeapi.PodSandboxFilter) ([]*runtimeapi.PodSandbox, error) {
	return []*runtimeapi.PodSandbox{{Id: "s-1", CreatedAt: 3e9}}, nil
}

func (aPod) ContainerStatus(_ context.Context, id string, _ bool) (*runtimeapi.ContainerStatusResponse, error) {
	if id != "c-1" {
		return nil, errors.New("it has gone")
	}
	return &runtimeapi.ContainerStatusResponse{Status: &runtimeapi.ContainerStatus{
		StartedAt: 4e9, Image: &runtimeapi.ImageSpec{Image: "nginx:1"},
		Resources: &runtimeapi.ContainerResources{Linux: &runtimeapi.LinuxContainerResources{MemoryLimitInBytes: 1 << 20, CpuQuota: 5000, CpuPeriod: 100000, CpuShares: 2}},
	}}, nil
}

// PodResources has the pod without limits.
func (aPod) PodResources(string) *runtimeapi.LinuxContainerResources { return nil }

func (aPod) ContainerProcesses(string) (processes, most, files int) { return 2, 256, 9 }

// provider has the names by which cAdvisor asks, as the kubelet's adapter has them (server.go, prometheusHostAdapter).
type provider struct{ *Simulated }

func (p provider) GetVersionInfo() (*cadvisorapi.VersionInfo, error) { return p.VersionInfo() }
func (p provider) GetMachineInfo() (*cadvisorapi.MachineInfo, error) { return p.MachineInfo() }

// TestCAdvisorsMetrics has upstream's collector, of the kind that the kubelet makes, read a machine.
func TestCAdvisorsMetrics(t *testing.T) {
	m := New(Options{Name: "node-1", RootDir: t.TempDir(), Cores: 2, MemoryBytes: 1 << 30, EphemeralStorageBytes: 1 << 20, Stats: aPod{}, Pods: aPod{}})
	registry := prometheus.NewRegistry()
	registry.MustRegister(metrics.NewPrometheusCollector(provider{m}, func(c *cadvisorapi.ContainerInfo) map[string]string {
		of := func(label string) string { return c.Spec.Labels["io.kubernetes."+label] }
		return map[string]string{"id": c.Name, "name": strings.Join(c.Aliases, ","), "image": c.Spec.Image, "pod": of("pod.name"), "namespace": of("pod.namespace"), "container": of("container.name")}
	}, container.MetricSet{
		container.CpuUsageMetrics: {}, container.MemoryUsageMetrics: {}, container.NetworkUsageMetrics: {}, container.ProcessMetrics: {},
	}, clock.RealClock{}, cadvisorapiv2.RequestOptions{IdType: cadvisorapiv2.TypeName, Count: 1, Recursive: true}))
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, f := range families {
		if _, err := expfmt.MetricFamilyToText(&text, f); err != nil {
			t.Fatal(err)
		}
	}
	lines := text.String()
	const main = `{container="main",%sid="/kubepods/podu-1/c-1",image="nginx:1",%sname="c-1",namespace="shop",pod="web"}`
	const pod = `{container="",%sid="/kubepods/podu-1",image="",%sname="",namespace="shop",pod="web"}`
	const sandbox = `{container="",%sid="/kubepods/podu-1/s-1",image="",%sname="s-1",namespace="shop",pod="web"}`
	const node = `{container="",%sid="/",image="",%sname="",namespace="",pod=""}`
	with := func(labels, before, between string) string {
		return strings.Replace(strings.Replace(labels, "%s", before, 1), "%s", between, 1)
	}
	for _, want := range []string{
		"container_cpu_usage_seconds_total" + with(main, `cpu="total",`, "") + " 2.5 5000",
		"container_cpu_user_seconds_total" + with(main, "", "") + " 2.5 5000",
		"container_memory_working_set_bytes" + with(main, "", "") + " 4096 5000",
		"container_spec_memory_limit_bytes" + with(main, "", "") + " 1.048576e+06",
		"container_spec_cpu_quota" + with(main, "", "") + " 5000",
		"container_start_time_seconds" + with(main, "", "") + " 4",
		"container_processes" + with(main, "", "") + " 2 5000",
		"container_file_descriptors" + with(main, "", "") + " 9 5000",
		"container_threads_max" + with(main, "", "") + " 256 5000",
		"container_cpu_usage_seconds_total" + with(pod, `cpu="total",`, "") + " 3 5000",
		"container_memory_working_set_bytes" + with(pod, "", "") + " 5000 5000",
		"container_spec_memory_limit_bytes" + with(pod, "", "") + " 0",
		"container_processes" + with(pod, "", "") + " 3 5000",
		"container_network_receive_bytes_total" + with(sandbox, "", `interface="eth0",`) + " 7 5000",
		"container_network_transmit_bytes_total" + with(sandbox, "", `interface="eth0",`) + " 8 5000",
		"container_start_time_seconds" + with(sandbox, "", "") + " 3",
		"container_spec_memory_limit_bytes" + with(node, "", "") + " 1.073741824e+09",
	} {
		if !slices.Contains(strings.Split(lines, "\n"), want) {
			t.Errorf("there is no %s", want)
		}
	}
	if t.Failed() || strings.Contains(lines, "gone") || strings.Count(lines, "container_network_receive_bytes_total{") != 1 {
		t.Errorf("it tells of a container that has gone, of more networks than one, or not of everything:\n%s", lines)
	}
}
