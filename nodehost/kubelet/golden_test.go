package kubelet

import (
	"embed"
	"testing"

	"k8s.io/kubelet/config/v1beta1"
	"k8s.io/kubernetes/pkg/kubelet/kubeletconfig/util/codec"
	"sigs.k8s.io/yaml"

	"github.com/tabernetes/tabernetes/scripts/golden"
)

//go:embed testdata
var testdata embed.FS

// TestGoldenConfiguration: a real node's kubelet's whole configuration, upstream's defaults included.
func TestGoldenConfiguration(t *testing.T) {
	s, err := configuration(onMachine("cgroupfs"))
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
