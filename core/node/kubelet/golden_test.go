package kubelet

import (
	"embed"
	"net/netip"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubelet/config/v1beta1"
	"k8s.io/kubernetes/pkg/kubelet/kubeletconfig/util/codec"
	"sigs.k8s.io/yaml"

	"github.com/tabernetes/tabernetes/scripts/golden"
)

//go:embed testdata
var testdata embed.FS

// TestGoldenConfiguration: an in-tab kubelet's whole configuration, upstream's defaults included.
func TestGoldenConfiguration(t *testing.T) {
	s, err := configuration(Options{
		Name: "node-1", IP: netip.MustParseAddr("172.30.0.11"), Port: 10250, RootDir: "/nodes/node-1",
		Cores: 4, MemoryBytes: 8 << 30, EphemeralStorageBytes: 32 << 30, Pods: 110,
		Labels: map[string]string{"a": "b"}, Taints: []corev1.Taint{{Key: "k", Value: "v", Effect: corev1.TaintEffectNoSchedule}},
		ClusterDNS: []netip.Addr{netip.MustParseAddr("10.96.0.10")}, ClusterDomain: "cluster.local",
	})
	if err != nil {
		t.Fatal(err)
	}
	file, err := codec.EncodeKubeletConfig(&s.KubeletConfiguration, v1beta1.SchemeGroupVersion)
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, testdata, "configuration.yaml", string(file))
	flags, err := yaml.Marshal(s.KubeletFlags)
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, testdata, "flags.yaml", string(flags))
}
