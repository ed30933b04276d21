package critrace

import (
	"fmt"
	"testing"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/tabernetes/tabernetes/core/trace"
)

// BenchmarkCreateContainer is what the largest of a pod's calls costs, told and not.
func BenchmarkCreateContainer(b *testing.B) {
	config := &runtimeapi.ContainerConfig{Metadata: &runtimeapi.ContainerMetadata{Name: "nginx"}, Labels: map[string]string{}, Annotations: map[string]string{}}
	for i := range 30 {
		config.Envs = append(config.Envs, &runtimeapi.KeyValue{Key: fmt.Sprintf("SERVICE_%d", i), Value: []byte("10.96.0.1")})
	}
	for i := range 6 {
		config.Labels[fmt.Sprintf("io.kubernetes.label.%d", i)] = "some value"
		config.Annotations[fmt.Sprintf("io.kubernetes.annotation.%d", i)] = "some value"
		config.Mounts = append(config.Mounts, &runtimeapi.Mount{ContainerPath: "/some/where", HostPath: "/var/lib/kubelet/pods/uid/volumes/some"})
	}
	for _, bus := range []*trace.Bus{nil, trace.New()} {
		b.Run(fmt.Sprintf("told=%v", bus != nil), func(b *testing.B) {
			r := Wrap(&stand{}, Options{Bus: bus})
			for b.Loop() {
				if _, err := r.CreateContainer(b.Context(), "sandbox-1", config, sandbox()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
