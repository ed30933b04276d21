package join

import (
	"strings"
	"testing"
	"time"
)

// pods of a machine whose disk gets full: of one that fills it and one that does not, the first goes.
const diskPods = `
apiVersion: v1
kind: Pod
metadata: {name: keeps}
spec:
  nodeSelector: {kubernetes.io/hostname: beta}
  tolerations: [{key: node.tabernetes.internal/kind, operator: Exists}]
  terminationGracePeriodSeconds: 1
  containers:
  - {name: main, image: busybox, imagePullPolicy: IfNotPresent, command: [sleep, "3000"]}
---
apiVersion: v1
kind: Pod
metadata: {name: fills}
spec:
  nodeSelector: {kubernetes.io/hostname: beta}
  tolerations: [{key: node.tabernetes.internal/kind, operator: Exists}]
  terminationGracePeriodSeconds: 1
  containers:
  - name: main
    image: busybox
    imagePullPolicy: IfNotPresent
    command: [sh, -c, "while [ $(df -m /data | awk 'END { print $4 }') -gt 80 ]; do dd if=/dev/zero bs=1M count=40 >>/data/x; done; sleep 3000"]
    volumeMounts: [{name: data, mountPath: /data}]
  volumes: [{name: data, emptyDir: {}}]
`

// fillDisk has a machine with a small disk join, and a pod fill it.
func (r *rig) fillDisk(t *testing.T) *host {
	t.Helper()
	h := r.hostWithDisk(t, "beta", "192.168.171.12/24", "2500m")
	h.Join(t, h.JoinLine(t)...)
	h.ImportImages(t, "pause", "busybox", "nginx")
	r.apply(t, diskPods)
	return h
}

// images are the names in the machine's containerd.
func (h *host) images(t *testing.T) string {
	t.Helper()
	return h.Must(t, "ctr", "--address", h.Place.Socket(), "--namespace", "k8s.io", "images", "ls", "-q")
}

// testFullDisk sees what upstream's thresholds do: the node says so, and gets no more pods; the pod that
// has filled the disk goes, and no other one.
func (r *rig) testFullDisk(t *testing.T, h *host) {
	r.Eventually(t, `kubectl get pod fills -o jsonpath='{.status.phase} {.status.reason}: {.status.message}' | grep -o 'Failed Evicted: The node was low on resource: ephemeral-storage'`,
		"Failed Evicted: The node was low on resource: ephemeral-storage")
	r.Eventually(t, `kubectl get node beta -o jsonpath='{.status.conditions[?(@.type=="DiskPressure")].status}'`, "True")
	r.Eventually(t, "kubectl get node beta -o jsonpath='{.spec.taints[*].key}' | grep -o node.kubernetes.io/disk-pressure", "node.kubernetes.io/disk-pressure")
	r.Eventually(t, "kubectl get pod keeps -o jsonpath='{.status.phase} {.status.containerStatuses[0].restartCount}'", "Running 0")
	r.Kubectl(t, "kubectl delete pod keeps fills --wait --timeout=60s")
	h.Leave(t)
}

// The kubelet's collector of images begins at 85 % of the disk, and removes what it has seen unused
// twice, five minutes apart. The thresholds for evicting pods are not reached meanwhile.
func TestImagesAreCollected(t *testing.T) {
	longLane(t)
	r := newRig(t)
	h := r.hostWithDisk(t, "alpha", "192.168.171.11/24", "2500m")
	h.Thresholds = "nodefs.available<1%"
	h.Join(t, h.JoinLine(t)...)
	h.ImportImages(t, "pause", "busybox", "nginx")
	r.Kubectl(t, `kubectl run keeps --image=busybox --image-pull-policy=IfNotPresent --overrides='{"spec":{"nodeName":"alpha"}}' -- sleep 3000`)
	r.Kubectl(t, "kubectl wait --for=condition=Ready pod/keeps --timeout=90s")
	h.Must(t, "bash", "-c", "cd "+h.Place.Dir+" && fallocate -l $(($(df -B1 --output=avail . | tail -1) - 250000000)) full")
	for end := time.Now().Add(20 * time.Minute); strings.Contains(h.images(t), "nginx"); time.Sleep(5 * time.Second) {
		if time.Now().After(end) {
			t.Fatalf("the images are still %s", h.images(t))
		}
	}
	if images := h.images(t); !strings.Contains(images, "busybox") || !strings.Contains(images, "pause") {
		t.Errorf("images that are used have been collected: %s", images)
	}
	if phase := r.Kubectl(t, "kubectl get pod keeps -o jsonpath='{.status.phase}'"); phase != "Running" {
		t.Errorf("the pod is %s", phase)
	}
	h.Leave(t)
}
