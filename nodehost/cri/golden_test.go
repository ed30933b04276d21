package cri

import (
	"embed"
	"testing"

	"github.com/tabernetes/tabernetes/scripts/golden"
)

//go:embed testdata
var testdata embed.FS

// TestGoldenConfiguration: containerd's whole file.
func TestGoldenConfiguration(t *testing.T) {
	file, err := Config{
		Root: "/node/containerd", State: "/run/node/containerd", Socket: "/run/node/containerd.sock", PauseImage: "registry.example/pause:1",
		CNIConfDir: "/node/cni/net.d", CNIBinDir: "/node/cni/bin", RegistryDir: "/node/registries", SystemdCgroup: true, RestrictOOMScoreAdj: true,
	}.File()
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, testdata, "config.toml", string(file))
}
