package join

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/nodehost/nodetest"
	"github.com/tabernetes/tabernetes/nodehost/preflight"
)

// A containerd that is the machine's own, with the network that it has: both stay when the node leaves.
const (
	foreignConfig = `version = 2
root = "DIR/root"
state = "DIR/state"
[grpc]
  address = "DIR/c.sock"
[plugins."io.containerd.internal.v1.opt"]
  path = "DIR/opt"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "registry.k8s.io/pause:3.10.1"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "PLUGINS"
    conf_dir = "DIR/net.d"
`
	// The guide's own file ("what happens when", CNI), but for where host-local keeps its addresses.
	foreignNetwork = `{
    "cniVersion": "0.3.1",
    "name": "bridge",
    "type": "bridge",
    "bridge": "cnio0",
    "isGateway": true,
    "ipMasq": true,
    "ipam": {
        "type": "host-local",
        "dataDir": "DIR/addresses",
        "ranges": [
          [{"subnet": "10.99.0.0/24"}]
        ],
        "routes": [{"dst": "0.0.0.0/0"}]
    }
}`
)

func (r *rig) testForeign(t *testing.T) {
	h := r.host(r.T, "gamma", "192.168.171.13/24")
	dir := filepath.Join(h.Dir, "theirs")
	plugins, _ := preflight.Machine().CNIBinDir(preflight.CNIBinDirs)
	fill := strings.NewReplacer("DIR", dir, "PLUGINS", plugins)
	if err := os.MkdirAll(filepath.Join(dir, "net.d"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"config.toml": foreignConfig, "net.d/10-bridge.conf": foreignNetwork} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(fill.Replace(text)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	theirs := r.Start(t, h.Namespace, "their containerd", h.Inside("containerd", "--config", filepath.Join(dir, "config.toml")))
	socket := filepath.Join(dir, "c.sock")
	endpoint := []string{"--cri-endpoint", "unix://" + socket}
	for end := time.Now().Add(nodetest.Patience); ; time.Sleep(100 * time.Millisecond) {
		if _, err := h.Command("ctr", "--address", socket, "version"); err == nil {
			break
		} else if time.Now().After(end) {
			t.Fatalf("their containerd does not answer: %v", err)
		}
	}
	line := h.Nodehost([]string{"image", "import"}, append(endpoint, r.Image("pause"), r.Image("nginx"))...)
	if _, err := nodetest.Run(h.Namespace, nodetest.Patience, line[0], line[1:]...); err != nil {
		t.Fatal(err)
	}
	agent := h.Join(t, h.JoinLine(t, append(endpoint, "--mix", "--cni-conf-dir", filepath.Join(dir, "net.d"))...)...)
	r.Kubectl(t, `kubectl run there --image=nginx --image-pull-policy=IfNotPresent --overrides='{"spec":{"nodeName":"gamma","terminationGracePeriodSeconds":1}}'`)
	r.Kubectl(t, "kubectl wait pod/there --for=condition=Ready --timeout=90s")
	if ip := r.Kubectl(t, "kubectl get pod there -o jsonpath='{.status.podIP}'"); !strings.HasPrefix(ip, "10.99.0.") {
		t.Errorf("the pod's address is %s, which is not of their network", ip)
	}
	if out := h.Must(t, "ip", "-o", "address", "show", "dev", "cnio0"); !strings.Contains(out, "inet 10.99.0.1/24") {
		t.Errorf("the bridge is no gateway: %s", out)
	}
	if out := r.Kubectl(t, "kubectl exec there -- hostname"); out != "there" {
		t.Errorf("exec: %q", out)
	}
	h.Leave(t)
	<-agent.Done
	select {
	case <-theirs.Done:
		t.Error("their containerd has ended, too")
	default:
	}
	if out := h.Must(t, "bash", "-c", "ctr --address "+socket+" --namespace k8s.io containers ls -q 2>/dev/null"); strings.TrimSpace(out) != "" {
		t.Errorf("containers are left in their containerd: %s", out)
	}
	if out := h.Must(t, "ip", "-o", "link", "show", "cnio0"); out == "" {
		t.Error("their network has gone")
	}
}
