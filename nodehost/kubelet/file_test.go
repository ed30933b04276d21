package kubelet

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/kubelet/config/v1beta1"
	"k8s.io/kubernetes/pkg/kubelet/kubeletconfig/util/codec"

	"github.com/tabernetes/tabernetes/core/node/kubeletfile"
)

func configFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kubelet.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const header = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"

// TestAFileOfTheOwners: what it says counts, and nothing else changes.
func TestAFileOfTheOwners(t *testing.T) {
	o := onMachine("cgroupfs")
	o.File = configFile(t, header+`
cpuManagerPolicy: static
reservedSystemCPUs: "0"
shutdownGracePeriod: 30s
shutdownGracePeriodCriticalPods: 10s
imageGCHighThresholdPercent: 70
imageGCLowThresholdPercent: 60
maxPods: 20
staticPodPath: manifests
evictionHard: {nodefs.available: 3%}
mergeDefaultEvictionSettings: true
`)
	s, err := configuration(o)
	if err != nil {
		t.Fatal(err)
	}
	for what, wrong := range map[string]bool{
		"the CPU manager's policy":  s.CPUManagerPolicy != "static" || s.ReservedSystemCPUs != "0",
		"the shutdown's period":     s.ShutdownGracePeriod.Duration != 30*time.Second || s.ShutdownGracePeriodCriticalPods.Duration != 10*time.Second,
		"the images' thresholds":    s.ImageGCHighThresholdPercent != 70 || s.ImageGCLowThresholdPercent != 60,
		"the number of pods":        s.MaxPods != 20,
		"a path beside the file":    s.StaticPodPath != filepath.Join(filepath.Dir(o.File), "manifests"),
		"thresholds and upstream's": s.EvictionHard["nodefs.available"] != "3%" || s.EvictionHard["memory.available"] != "100Mi",
	} {
		if wrong {
			t.Errorf("%s is not the file's", what)
		}
	}
	o.EvictionHard = map[string]string{"memory.available": "50Mi"}
	if s, err := configuration(o); err != nil || !maps.Equal(s.EvictionHard, o.EvictionHard) {
		t.Errorf("--eviction-hard is not above the file: %v, %v", s.EvictionHard, err)
	}

	// A file that says nothing is what the node has without one, down to the last default.
	encode := func(o Options) []byte {
		t.Helper()
		s, err := configuration(o)
		if err != nil {
			t.Fatal(err)
		}
		text, err := codec.EncodeKubeletConfig(&s.KubeletConfiguration, v1beta1.SchemeGroupVersion)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	without, empty := onMachine("cgroupfs"), onMachine("cgroupfs")
	empty.File = configFile(t, header)
	if a, b := encode(without), encode(empty); !bytes.Equal(a, b) {
		t.Errorf("an empty file changes something:\n%s\nis\n%s", a, b)
	}
}

// TestFilesThatAreRefused: each in a sentence that names the file, and what is wrong with it.
func TestFilesThatAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "Kind",
		"hello":                   "cannot unmarshal",
		"\x00\xff":                "yaml",
		header + "maxPod: 5\n":    `unknown field "maxPod"`,
		header + "MaxPods: 5\n":   `unknown field "MaxPods"`,
		header + "maxPods: -1\n":  "maxPods",
		header + "maxPods: [1]\n": "maxPods",
		header + "port: 1\n":      "leave out what the node decides itself: port (",
		header + "port: null\n":   "port (",
		header + "logging: {}\n":  "logging (",
		header + "featureGates: {NoSuchGate: true}\n":                                                 "NoSuchGate",
		header + "cpuManagerPolicy: static\ncpuManagerPolicyOptions: {none: \"1\"}\nmaxPods: x":       "maxPods",
		"apiVersion: kubelet.config.k8s.io/v1beta1\nkind: CredentialProviderConfig\n":                 "not a KubeletConfiguration",
		"apiVersion: v1\nkind: Pod\n":                                                                 "no kind",
		header + strings.Repeat("# long\n", maxFile/7+1):                                              "bytes",
		header + "authentication: {anonymous: {enabled: true}}\nauthorization: {mode: AlwaysAllow}\n": "authentication (who asks the kubelet",
	} {
		path := configFile(t, text)
		if err := CheckFile(path, "cgroupfs"); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%.80q: %v; want %s", text, err, want)
		}
	}
	dir := t.TempDir()
	if err := CheckFile(dir, "cgroupfs"); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a directory: %v", err)
	}
	if err := CheckFile("/dev/zero", "cgroupfs"); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a device: %v", err)
	}
	if err := CheckFile(filepath.Join(dir, "absent"), "cgroupfs"); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("none: %v", err)
	}
}

// TestWhatTheNodeDecides are fields that upstream knows: one that it drops or renames is to be thought of again.
func TestWhatTheNodeDecides(t *testing.T) {
	for field := range decided {
		if _, err := kubeletfile.Decode([]byte(header + field + ": null\n")); err != nil {
			t.Errorf("%s: %v", field, err)
		}
	}
	if _, err := kubeletfile.Decode([]byte(header + "noField: null\n")); err == nil {
		t.Error("a field that there is not passes as well")
	}
}
