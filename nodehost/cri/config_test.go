package cri

import (
	"strings"
	"testing"
)

func TestContainerdsFile(t *testing.T) {
	c := Config{
		Root: "/node/containerd", State: "/run/node/containerd", Socket: "/run/node/containerd.sock", PauseImage: "pause:1",
		CNIConfDir: `/node/with "quotes"`, CNIBinDir: "/node/cni/bin", RegistryDir: "/node/registries", RestrictOOMScoreAdj: true,
	}
	b, err := c.File()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"version = 2\n", `root = "/node/containerd"`, `address = "/run/node/containerd.sock"`, `sandbox_image = "pause:1"`,
		`conf_dir = "/node/with \"quotes\""`, "restrict_oom_score_adj = true", "SystemdCgroup = false",
		`Root = "/run/node/containerd/runc"`, `path = "/node/containerd/opt"`, `stream_server_address = "127.0.0.1"`,
	} {
		if !strings.Contains(string(b), want) {
			t.Errorf("it does not say %s", want)
		}
	}
	c.Socket = "/" + strings.Repeat("x", maxSocket)
	if _, err := c.File(); err == nil || !strings.Contains(err.Error(), "--run-dir") {
		t.Errorf("a path that no socket can have: %v", err)
	}
}
