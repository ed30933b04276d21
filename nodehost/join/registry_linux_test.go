package join

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/nodehost/nodetest"
)

// testPull has images come from registries: by a mirror, from one with a CA of its own, and with a
// pull secret. They are of this test, on the machine itself.
func (r *rig) testPull(t *testing.T, h *host) {
	t.Run("how far one is", func(t *testing.T) { r.testPulls(t, h) })
	t.Run("a mirror", func(t *testing.T) {
		registry := r.Start(t, h.Namespace, "mirror", []string{filepath.Join(r.Built, "imager"), "serve", "-listen", "127.0.0.1:5000", r.Image("busybox")})
		registry.Await(t, "ready")
		h.registry(t, "registry.test", "server = \"http://127.0.0.1:5000\"\n[host.\"http://127.0.0.1:5000\"]\n  capabilities = [\"pull\", \"resolve\"]\n")
		r.runPulled(t, "mirrored", "registry.test/library/busybox:1.35", "")
		r.Eventually(t, "kubectl logs mirrored", "it was pulled")
		r.Eventually(t, "kubectl get events --field-selector involvedObject.name=mirrored,reason=Pulled -o name | wc -l", "1")
		r.Kubectl(t, "kubectl delete pod mirrored --wait --timeout=60s")
	})
	t.Run("a CA of its own and a secret", func(t *testing.T) {
		// Not on loopback: there, containerd takes a registry for one without TLS.
		ca, address := filepath.Join(r.Dir, "registry-ca.crt"), h.IP()+":5001"
		registry := r.Start(t, h.Namespace, "registry", []string{filepath.Join(r.Built, "imager"), "serve", "-listen", address,
			"-user", "somebody:open sesame", "-ca", ca, r.Image("busybox")})
		registry.Await(t, "ready")
		image := address + "/library/busybox:1.35"

		r.runPulled(t, "stranger", image, "")
		r.pullFails(t, "stranger", "certificate signed by unknown authority")
		h.registry(t, address, fmt.Sprintf("server = \"https://%[1]s\"\n[host.\"https://%[1]s\"]\n  ca = %[2]q\n", address, ca))
		r.Kubectl(t, "kubectl delete pod stranger --wait --timeout=60s") // its next try would be in 10 s or more
		r.runPulled(t, "stranger", image, "")
		r.pullFails(t, "stranger", "no basic auth credentials|401 Unauthorized")

		r.Kubectl(t, "kubectl create secret docker-registry friend --docker-server="+address+" --docker-username=somebody --docker-password='open sesame'")
		r.runPulled(t, "friend", image, `"imagePullSecrets":[{"name":"friend"}],`)
		r.Eventually(t, "kubectl logs friend", "it was pulled")
		// Who has no secret does not get it from the machine either.
		r.runPulled(t, "late", image, "")
		r.pullFails(t, "late", "no basic auth credentials|401 Unauthorized")
		r.Kubectl(t, "kubectl delete pod stranger late friend --wait --timeout=60s && kubectl delete secret friend")
	})
}

// testPulls looks at a pull that takes its time.
func (r *rig) testPulls(t *testing.T, h *host) {
	registry := r.Start(t, h.Namespace, "slow registry", []string{filepath.Join(r.Built, "imager"), "serve", "-listen", "127.0.0.1:5002", "-rate", "100000", r.Image("nonroot")})
	registry.Await(t, "ready")
	h.registry(t, "slow.test", "server = \"http://127.0.0.1:5002\"\n[host.\"http://127.0.0.1:5002\"]\n  capabilities = [\"pull\", \"resolve\"]\n")
	r.runPulled(t, "slow", "slow.test/e2e-test-images/nonroot:1.5", "")
	for end := time.Now().Add(nodetest.Patience); ; time.Sleep(100 * time.Millisecond) {
		line := h.Nodehost([]string{"image", "pulls"})
		out, err := nodetest.Run(h.Namespace, nodetest.Patience, line[0], line[1:]...)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(out, "layer-sha256:") {
			t.Log(lastLine(out))
			registry.Signal(syscall.SIGUSR1) // from now on as fast as it goes
			break
		}
		if time.Now().After(end) {
			t.Fatalf("no pull is to be seen:\n%s", out)
		}
	}
	r.Eventually(t, "kubectl logs slow", "it was pulled")
	r.Kubectl(t, "kubectl delete pod slow --wait --timeout=60s")
}

// registry writes what the machine knows of a registry.
func (h *host) registry(t *testing.T, name, hosts string) {
	t.Helper()
	h.Must(t, "bash", "-c", `mkdir -p "$1/$2" && printf %s "$3" >"$1/$2/hosts.toml"`, "-", h.Place.Registries(), name, hosts)
}

// runPulled starts a pod on a real node of an image that is always asked for.
func (r *rig) runPulled(t *testing.T, pod, image, spec string) {
	t.Helper()
	r.Kubectl(t, fmt.Sprintf(`kubectl run %s --image=%s --image-pull-policy=Always --restart=Never `+
		`--overrides='{"spec":{%s"tolerations":[{"operator":"Exists"}],"nodeSelector":{"node.tabernetes.internal/kind":"real"},"terminationGracePeriodSeconds":0}}' `+
		`-- sh -c 'echo it was pulled; sleep 1000'`, pod, image, spec))
}

// pullFails waits until an event says why.
func (r *rig) pullFails(t *testing.T, pod, why string) {
	t.Helper()
	r.Eventually(t, fmt.Sprintf("kubectl get events --field-selector involvedObject.name=%s,reason=Failed -o jsonpath='{.items[*].message}' | grep -cE '%s'", pod, why), "1")
}
