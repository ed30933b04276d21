package cri

import (
	"strconv"
	"testing"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/tabernetes/tabernetes/core/node/image"
	"github.com/tabernetes/tabernetes/core/program"
)

// BenchmarkPod is a pod of one nginx container from its sandbox to its removal, with as many
// tools in the image as the tab's shell has.
func BenchmarkPod(b *testing.B) {
	many := map[string]program.Program{"sh": tools["sh"]}
	for i := range 80 {
		many["tool"+strconv.Itoa(i)] = tools["echo"]
	}
	r, err := New(benchOptions(b, image.Builtins(many, nil)))
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close(b.Context())
	id, err := r.PullImage(b.Context(), &runtimeapi.ImageSpec{Image: "nginx"}, nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		config := &runtimeapi.PodSandboxConfig{Metadata: &runtimeapi.PodSandboxMetadata{Name: "p", Uid: "u"}, LogDirectory: b.TempDir()}
		sandbox, err := r.RunPodSandbox(b.Context(), config, "")
		if err != nil {
			b.Fatal(err)
		}
		c, err := r.CreateContainer(b.Context(), sandbox, &runtimeapi.ContainerConfig{
			Metadata: &runtimeapi.ContainerMetadata{Name: "c"}, Image: &runtimeapi.ImageSpec{Image: id}, LogPath: "0.log",
		}, config)
		if err != nil {
			b.Fatal(err)
		}
		if err := r.StartContainer(b.Context(), c); err != nil {
			b.Fatal(err)
		}
		if err := r.RemovePodSandbox(b.Context(), sandbox); err != nil {
			b.Fatal(err)
		}
	}
}

func benchOptions(b *testing.B, images *image.Registry) Options {
	return Options{NodeName: "n", NodeIP: nodeIP, RootDir: b.TempDir(), Images: images, PodCIDR: "10.244.1.0/24"}
}
