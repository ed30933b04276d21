package controlplane

import (
	"fmt"
	"strconv"

	"github.com/tabernetes/tabernetes/core/node/image"
	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/trace"
	"github.com/tabernetes/tabernetes/core/version"
)

const path = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// Register adds the images to a registry. The bus, if there is one, is told what schedulers decide.
func Register(r *image.Registry, bus *trace.Bus) error {
	for _, img := range []image.Image{
		{
			Names: []string{"registry.k8s.io/kube-scheduler"},
			// The one that is linked: another would not be what its tag says.
			Tags:     image.Tags{Words: []string{version.Kubernetes}},
			Cmd:      []string{"/usr/local/bin/kube-scheduler"},
			Env:      []string{path},
			Programs: map[string]program.Program{"/usr/local/bin/kube-scheduler": kubeScheduler(bus)},
		},
		{
			Names:        []string{"registry.k8s.io/e2e-test-images/sample-apiserver"},
			Entrypoint:   []string{"/sample-apiserver"},
			Env:          []string{path},
			ExposedPorts: []string{"443/tcp"},
			Programs:     map[string]program.Program{"/sample-apiserver": sampleAPIServer},
		},
		{
			Names:        []string{"registry.k8s.io/etcd", "quay.io/coreos/etcd", "gcr.io/etcd-development/etcd"},
			Cmd:          []string{"/usr/local/bin/etcd"},
			Env:          []string{path},
			ExposedPorts: []string{"2379/tcp"},
			Programs:     map[string]program.Program{"/usr/local/bin/etcd": etcd},
		},
		{
			Names:        []string{initializerImage},
			Entrypoint:   []string{"/initializer"},
			Env:          []string{path},
			ExposedPorts: []string{strconv.Itoa(proxyPort) + "/tcp"},
			Programs:     map[string]program.Program{"/initializer": initializer, "/proxy": proxy},
		},
	} {
		if err := r.Register(img); err != nil {
			return fmt.Errorf("images of control planes: %w", err)
		}
	}
	return nil
}
