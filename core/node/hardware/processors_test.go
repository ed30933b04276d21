package hardware

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/cpuset"
)

type allReady struct{}

func (allReady) AddSource(string) {}
func (allReady) AllReady() bool   { return true }

// TestCheckpoints: what a pod has written in the place of the CPU manager's checkpoint, or another policy, does not
// keep the kubelet from starting, which would end its process.
func TestCheckpoints(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("not ours"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, make := range map[string]func(path string) error{
		"none":           func(string) error { return nil },
		"garbage":        func(path string) error { return os.WriteFile(path, []byte("{{{"), 0o600) },
		"a directory":    func(path string) error { return os.MkdirAll(filepath.Join(path, "x"), 0o700) },
		"a link outside": func(path string) error { return os.Symlink(outside, path) },
		"other processors": func(path string) error {
			return os.WriteFile(path, []byte(`{"policyName":"static","defaultCpuSet":"0-63","entries":{"u":{"c":"7"}},"checksum":1}`), 0o600)
		},
	} {
		m := newMachine(t, containers{})
		dir := t.TempDir()
		if err := make(filepath.Join(dir, checkpoint)); err != nil {
			t.Fatal(err)
		}
		m.opts.Reserved = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")}
		m.opts.Processors = Processors{Policy: "static", Reconcile: time.Hour, Reserved: cpuset.New(0), StateDir: dir, Topology: "none", TopologyScope: "container"}
		c := manager(t, m)
		none := func() []*corev1.Pod { return nil }
		if err := c.Start(t.Context(), &corev1.Node{}, none, nil, allReady{}, nil, nil, true); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := c.GetAllocatableCPUs(); len(got) != 1 || got[0] != 1 {
			t.Errorf("%s: pods may get %v alone", name, got)
		}
		if text, err := os.ReadFile(filepath.Join(dir, checkpoint)); err != nil || !strings.Contains(string(text), `"defaultCpuSet":"0-1"`) {
			t.Errorf("%s: the checkpoint is %s, %v", name, text, err)
		}
	}
	if text, err := os.ReadFile(outside); err != nil || string(text) != "not ours" {
		t.Errorf("outside of the node is %q, %v", text, err)
	}
}
