package node_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"
)

// burglar has its node's whole disk, and victims of its own to have the kubelet look at.
const burglar = `
metadata: {name: burglar}
spec:
  nodeName: node-3
  terminationGracePeriodSeconds: 1
  containers:
  - name: main
    image: busybox
    command: [sleep, "3600"]
    volumeMounts: [{name: node, mountPath: /node}]
  volumes: [{name: node, hostPath: {path: /}}]
`

const burgled = `
metadata: {name: burgled}
spec:
  nodeName: node-3
  terminationGracePeriodSeconds: 1
  containers:
  - name: main
    image: busybox
    command: [sh, -c, "echo begun; until [ -e /tmp/end ]; do sleep 0.1; done"]
    volumeMounts: [{name: cfg, mountPath: /cfg}]
  volumes: [{name: cfg, configMap: {name: cfg}}]
`

// staticPod is a manifest as it lies on a disk.
const staticPod = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q,"namespace":%q},"spec":{"containers":[{"name":"c","image":"pause"}]}}`

// TestALinkOfAPodLeadsNoKubeletOut has a pod put links where the kubelet and the runtime, which natively have
// the rights of whoever runs the cluster, read and write by themselves.
func TestALinkOfAPodLeadsNoKubeletOut(t *testing.T) {
	c := startCluster(t)
	ns := c.namespace(t, "links")
	ctx := t.Context()
	cfg := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "cfg"}, Data: map[string]string{"planted": "by a pod"}}
	if _, err := c.CoreV1().ConfigMaps(ns).Create(ctx, cfg, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{burglar, burgled} {
		var pod corev1.Pod
		if err := yaml.UnmarshalStrict([]byte(text), &pod); err != nil {
			t.Fatal(err)
		}
		if _, err := c.CoreV1().Pods(ns).Create(ctx, &pod, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	c.until(t, ns, "burglar", "ready", ready)
	victim := c.until(t, ns, "burgled", "ready", ready)
	run := func(script string) {
		t.Helper()
		if out, err := c.exec(t, ns, "burglar", "main", "sh", "-ec", script); err != nil {
			t.Fatalf("%s: %q, %v", script, out, err)
		}
	}

	// The machine's, which no pod has to do with: in one directory for each way out.
	machine := t.TempDir()
	put := func(name, text string) string {
		t.Helper()
		path := filepath.Join(machine, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	untouched := func(dir string, want ...string) bool {
		entries, err := os.ReadDir(filepath.Join(machine, dir))
		return err == nil && len(entries) == len(want)
	}
	secret := put("secret", "2026-01-01T00:00:00.000000000Z stdout F the machine's\n")
	manifest := put("manifest.json", fmt.Sprintf(staticPod, "from-the-machine", ns))
	put("log/here", "")
	put("volume/here", "")
	up := strings.Repeat("../", 40)

	log := fmt.Sprintf("/node/var/log/pods/%s_burgled_%s/main", ns, victim.UID)
	for name, link := range map[string]string{
		"an absolute link": fmt.Sprintf("ln -sf %s %s/0.log", secret, log),
		"a relative link":  fmt.Sprintf("rm %[3]s/0.log; ln -s %[1]s%[2]s %[3]s/0.log", up, strings.TrimPrefix(secret, "/"), log),
		// It is made where it leads to no place, and moved.
		"a link that was moved": fmt.Sprintf("rm %[3]s/0.log; mkdir -p /node/a/b; ln -s %[1]s%[2]s /node/a/b/l; mv /node/a/b/l %[3]s/0.log", up, strings.TrimPrefix(secret, "/"), log),
		"a chain":               fmt.Sprintf("rm %[2]s/0.log; ln -sf / %[2]s/top; ln -s top%[1]s %[2]s/0.log", secret, log),
		"a hard link":           fmt.Sprintf("ln -sf %[1]s /node/l; rm %[2]s/0.log; ln /node/l %[2]s/0.log", secret, log),
	} {
		run(link)
		got, err := c.CoreV1().Pods(ns).GetLogs("burgled", &corev1.PodLogOptions{}).DoRaw(ctx)
		if strings.Contains(string(got), "the machine's") || err != nil && strings.Contains(err.Error(), "the machine's") {
			t.Errorf("%s: kubectl logs shows a file of the machine: %q, %v", name, got, err)
		}
	}

	// Static pods: the manifest that is the node's own was seen after the link, so that the link was, too.
	manifests := "/node/etc/kubernetes/manifests"
	run(fmt.Sprintf("ln -s %s %s/a.json; echo '%s' > /node/b.json; mv /node/b.json %s/b.json", manifest, manifests, fmt.Sprintf(staticPod, "from-the-node", ns), manifests))
	c.until(t, ns, "from-the-node-node-3", "there", func(p *corev1.Pod) bool { return p != nil })
	if _, err := c.CoreV1().Pods(ns).Get(ctx, "from-the-machine-node-3", metav1.GetOptions{}); err == nil {
		t.Error("a manifest of the machine became a pod")
	}
	run("rm " + manifests + "/*.json")

	// A container that begins anew opens its next log.
	run(fmt.Sprintf("mv %[2]s %[2]s.away; ln -s %[1]s %[2]s", filepath.Join(machine, "log"), log))
	if _, err := c.exec(t, ns, "burgled", "main", "touch", "/tmp/end"); err != nil {
		t.Fatal(err)
	}
	c.until(t, ns, "burgled", "ended once", func(p *corev1.Pod) bool {
		if !untouched("log", "here") {
			return true
		}
		s := p.Status.ContainerStatuses[0]
		return s.RestartCount > 0 || s.State.Waiting != nil // an error, and then its back-off
	})
	if !untouched("log", "here") {
		t.Error("a container's log was made on the machine")
	}

	// A volume that is written again, when the ConfigMap has changed.
	volume := fmt.Sprintf("/node/var/lib/kubelet/pods/%s/volumes/kubernetes.io~configmap/cfg", victim.UID)
	run(fmt.Sprintf("mv %[2]s /node/cfg; ln -s %[1]s %[2]s", filepath.Join(machine, "volume"), volume))
	cfg.Data["planted"] = "again"
	if _, err := c.CoreV1().ConfigMaps(ns).Update(ctx, cfg, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	// The kubelet looks at a pod whose annotations change.
	patch := []byte(`{"metadata":{"annotations":{"look":"again"}}}`)
	if _, err := c.CoreV1().Pods(ns).Patch(ctx, "burgled", types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	failed := func() bool {
		events, err := c.CoreV1().Events(ns).List(ctx, metav1.ListOptions{FieldSelector: "reason=FailedMount,involvedObject.name=burgled"})
		return err == nil && slices.ContainsFunc(events.Items, func(e corev1.Event) bool { return strings.Contains(e.Message, `"cfg"`) })
	}
	for deadline := time.Now().Add(2 * patience); untouched("volume", "here") && !failed(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the kubelet did not look at the volume")
		}
	}
	if !untouched("volume", "here") {
		t.Error("a ConfigMap was written to the machine")
	}
	run(fmt.Sprintf("rm %[1]s; mv /node/cfg %[1]s; rm %[2]s; mv %[2]s.away %[2]s", volume, log))
}
