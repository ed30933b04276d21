package join

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/tabernetes/tabernetes/nodehost/nodedir"
)

// TestTheFileOfANodeThatIsThere: of what a node keeps, its kubelet's file may change; whoever does not name one
// keeps it.
func TestTheFileOfANodeThatIsThere(t *testing.T) {
	place := nodedir.Place{Dir: t.TempDir()}
	for given, want := range map[string]string{"": "/etc/kubelet.yaml", "/other.yaml": "/other.yaml", "none": ""} {
		before := &nodedir.State{Joined: true, Node: "alpha", Instance: strings.Repeat("i", 22), Hub: "http://192.0.2.1", Settings: nodedir.Settings{KubeletConfig: "/etc/kubelet.yaml"}}
		if err := place.Save(before); err != nil {
			t.Fatal(err)
		}
		s, err := (&Options{Place: place, Settings: nodedir.Settings{KubeletConfig: given}}).state()
		if err != nil || s.Settings.KubeletConfig != want {
			t.Errorf("%q: %v, %v", given, s, err)
		}
	}
	o := &Options{Hub: "http://192.0.2.1", Node: "alpha", Place: nodedir.Place{Dir: t.TempDir()}, Settings: nodedir.Settings{KubeletConfig: "here.yaml"}}
	if s, err := o.state(); err != nil || !filepath.IsAbs(s.Settings.KubeletConfig) {
		t.Errorf("a relative path: %v, %v", s, err)
	}
}

// TestAFileThatOthersCanChange is not what root's kubelet is told.
func TestAFileThatOthersCanChange(t *testing.T) {
	if err := checkConfig(""); err != nil {
		t.Error(err)
	}
	file := filepath.Join(t.TempDir(), "kubelet.yaml")
	text := []byte("apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nmaxPods: 7\n")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := checkConfig(file); err != nil {
		t.Error(err)
	}
	if err := os.Chmod(file, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := checkConfig(file); err == nil || !strings.Contains(err.Error(), "may be written by everybody") {
		t.Errorf("a file that everybody writes: %v", err)
	}
	if err := checkConfig(file + ".absent"); err == nil || !strings.Contains(err.Error(), "--kubelet-config") {
		t.Errorf("no file: %v", err)
	}
}

const pinned = `
apiVersion: v1
kind: Pod
metadata: {name: pinned}
spec:
  nodeName: alpha
  terminationGracePeriodSeconds: 1
  containers:
  - name: main
    image: busybox
    imagePullPolicy: IfNotPresent
    command: [sleep, "3000"]
    resources: {requests: {cpu: 1, memory: 20Mi}, limits: {cpu: 1, memory: 20Mi}}
`

// TestAMachinesKubeletConfig has a machine join with a file: its CPU manager gives a guaranteed pod a processor of
// its own, its kubelet is configured as the file says, and another file counts from the next start on.
func TestAMachinesKubeletConfig(t *testing.T) {
	longLane(t)
	if runtime.NumCPU() < 2 {
		t.Skip("one processor is kept for the machine itself")
	}
	r := newRig(t)
	h := r.host(t, "alpha", "192.168.171.11/24")
	write := func(pods int) {
		t.Helper()
		text := fmt.Sprintf("apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"+
			"cpuManagerPolicy: static\nreservedSystemCPUs: \"0\"\nmaxPods: %d\nimageGCHighThresholdPercent: 80\nimageGCLowThresholdPercent: 70\n", pods)
		if err := os.WriteFile(filepath.Join(h.Dir, "kubelet.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(7)
	process := h.Join(t, h.JoinLine(t, "--kubelet-config", filepath.Join(h.Dir, "kubelet.yaml"))...)
	h.ImportImages(t, "pause", "busybox")
	r.apply(t, pinned)
	r.Eventually(t, "kubectl get pod pinned -o jsonpath='{.status.phase}'", "Running")
	r.Eventually(t, "kubectl exec pinned -- grep Cpus_allowed_list /proc/self/status | tr -d '\\t'", "Cpus_allowed_list:1") // the first that is not kept
	config := r.Kubectl(t, "kubectl get --raw /api/v1/nodes/alpha/proxy/configz")
	for _, want := range []string{`"cpuManagerPolicy":"static"`, `"maxPods":7`, `"imageGCHighThresholdPercent":80`, `"address":"127.0.0.1"`} {
		if !strings.Contains(config, want) {
			t.Errorf("the kubelet has no %s", want)
		}
	}
	process.End(syscall.SIGTERM)
	write(8)
	h.Join(t)
	r.Eventually(t, "kubectl get node alpha -o jsonpath='{.status.capacity.pods}'", "8")
	r.Kubectl(t, "kubectl delete pod pinned --wait --timeout=60s")
	h.Leave(t)
}
