package join

import "testing"

const lastingClaim = `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: lasting}
spec: {storageClassName: local-path, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Mi}}}
---
apiVersion: v1
kind: Pod
metadata: {name: writes}
spec:
  nodeSelector: {kubernetes.io/hostname: alpha}
  tolerations: [{operator: Exists}]
  terminationGracePeriodSeconds: 1
  containers:
  - {name: main, image: busybox, imagePullPolicy: IfNotPresent, command: [sh, -c, "date > /data/x; sleep 3000"], volumeMounts: [{name: data, mountPath: /data}]}
  volumes: [{name: data, persistentVolumeClaim: {claimName: lasting}}]
`

// makeLasting has a claim that is bound when its node leaves.
func (r *rig) makeLasting(t *testing.T) {
	t.Helper()
	r.Kubectl(t, "kubectl apply -f - <<'END'"+lastingClaim+"END")
	r.Kubectl(t, "kubectl wait --for=condition=Ready pod/writes --timeout=90s")
	// The node gives it more, with its own rights.
	r.Kubectl(t, `kubectl patch pvc lasting -p '{"spec":{"resources":{"requests":{"storage":"2Mi"}}}}'`)
	r.Eventually(t, "kubectl get pvc lasting -o jsonpath='{.status.capacity.storage}'", "2Mi")
	r.Eventually(t, "kubectl get pv -o jsonpath='{.items[*].spec.capacity.storage}'", "2Mi")
}

// testLasting looks at it after the node has left: the claim is its owner's, who is told that the data
// have gone; its volume goes with it.
func (r *rig) testLasting(t *testing.T) {
	r.Eventually(t, "kubectl get nodes -o name", "node/node-1")
	r.Eventually(t, "kubectl get events --field-selector reason=NodeLeft -o jsonpath='{.items[*].involvedObject.kind} {.items[*].involvedObject.name}'", "PersistentVolumeClaim lasting")
	if phase := r.Kubectl(t, "kubectl get pvc lasting -o jsonpath='{.status.phase}'"); phase != "Bound" {
		t.Errorf("the claim is %s", phase)
	}
	r.Kubectl(t, "kubectl delete pvc lasting --timeout=60s")
	r.Eventually(t, "kubectl get pv -o name", "")
}
