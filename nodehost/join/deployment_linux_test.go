package join

import (
	"fmt"
	"strings"
	"testing"
)

// Which real nodes pods may be on: those that are well, or all of them whatever is the matter, so that
// no eviction is mixed up with a restart.
const (
	onRealNodes    = "tolerations: [{key: node.tabernetes.internal/kind, operator: Exists}]"
	onAnyRealNodes = "tolerations: [{operator: Exists}]"
)

// nginxPods is a Deployment of nginx on real nodes. pod and container are further fields of its
// template, a line each.
type nginxPods struct {
	name           string
	replicas       int
	pod, container []string
}

func (d nginxPods) yaml() string {
	const pod, container = "\n      ", "\n        "
	return fmt.Sprintf(`---
apiVersion: apps/v1
kind: Deployment
metadata: {name: %[1]s}
spec:
  replicas: %[2]d
  selector: {matchLabels: {app: %[1]s}}
  template:
    metadata: {labels: {app: %[1]s}}
    spec:
      nodeSelector: {node.tabernetes.internal/kind: real}
      %[3]s
      containers:
      - name: nginx
        image: nginx
        imagePullPolicy: IfNotPresent
        %[4]s
`, d.name, d.replicas, strings.Join(d.pod, pod), strings.Join(d.container, container))
}

// apply gives the cluster a manifest.
func (r *rig) apply(t *testing.T, manifest string) {
	t.Helper()
	r.Kubectl(t, "kubectl apply -f - <<'END'\n"+manifest+"\nEND")
}

// rolledOut applies Deployments and waits until their pods are Ready.
func (r *rig) rolledOut(t *testing.T, all ...nginxPods) {
	t.Helper()
	for _, d := range all {
		r.apply(t, d.yaml())
	}
	for _, d := range all {
		r.Kubectl(t, "kubectl rollout status --timeout=150s deploy/"+d.name)
	}
}
