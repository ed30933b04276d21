package manifest

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

func parse(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	o := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &o.Object); err != nil {
		t.Fatal(err)
	}
	return o
}

// TestWorthHaving: what another cluster makes by itself is left out, what people made is not.
func TestWorthHaving(t *testing.T) {
	for _, c := range []struct {
		resource, text string
		want           bool
	}{
		{"configmaps", `{metadata: {name: mine, namespace: default}}`, true},
		{"configmaps", `{metadata: {name: mine, namespace: kube-system}}`, true},
		{"configmaps", `{metadata: {name: kube-root-ca.crt, namespace: mine}}`, false},
		{"replicasets.apps", `{metadata: {name: web-1, ownerReferences: [{kind: Deployment, name: web, uid: u, controller: true}]}}`, false},
		{"pods", `{metadata: {name: alone}, status: {phase: Running}}`, true},
		{"pods", `{metadata: {name: done}, status: {phase: Succeeded}}`, false},
		{"jobs.batch", `{metadata: {name: runs}, status: {conditions: [{type: Suspended, status: "True"}]}}`, true},
		{"jobs.batch", `{metadata: {name: done}, status: {conditions: [{type: Complete, status: "True"}]}}`, false},
		{"namespaces", `{metadata: {name: default}}`, false},
		{"namespaces", `{metadata: {name: mine}}`, true},
		{"namespaces", `{metadata: {name: ending, deletionTimestamp: "2026-01-01T00:00:00Z"}}`, false},
		{"clusterroles.rbac.authorization.k8s.io", `{metadata: {name: admin, labels: {kubernetes.io/bootstrapping: rbac-defaults}}}`, false},
		{"clusterroles.rbac.authorization.k8s.io", `{metadata: {name: mine}}`, true},
		{"secrets", `{metadata: {name: t}, type: bootstrap.kubernetes.io/token}`, false},
		{"secrets", `{metadata: {name: t}, type: Opaque}`, true},
		{"services", `{metadata: {name: kubernetes, namespace: default}}`, false},
		{"services", `{metadata: {name: kubernetes, namespace: mine}}`, true},
		{"persistentvolumes", `{metadata: {name: pvc-1, annotations: {pv.kubernetes.io/provisioned-by: p}}}`, false},
		{"storageclasses.storage.k8s.io", `{metadata: {name: local-path}, provisioner: local-path.tabernetes.internal}`, false},
		{"storageclasses.storage.k8s.io", `{metadata: {name: local-path}, provisioner: rancher.io/local-path}`, true},
		{"storageclasses.storage.k8s.io", `{metadata: {name: local-path-mine}, provisioner: local-path.tabernetes.internal}`, true},
		{"ingressclasses.networking.k8s.io", `{metadata: {name: tabernetes}, spec: {controller: tabernetes.internal/ingress-controller}}`, false},
		{"ingressclasses.networking.k8s.io", `{metadata: {name: mine}, spec: {controller: tabernetes.internal/ingress-controller}}`, true},
		{"apiservices.apiregistration.k8s.io", `{metadata: {name: v1beta1.metrics.k8s.io}, spec: {group: metrics.k8s.io}}`, false},
		{"apiservices.apiregistration.k8s.io", `{metadata: {name: v1.mine}, spec: {service: {name: s, namespace: mine}}}`, true},
		{"clusterrolebindings.rbac.authorization.k8s.io", `{metadata: {name: "tabernetes:local-path-provisioner"}}`, false},
		{"zebras.example.com", `{metadata: {name: z, namespace: mine}}`, true},
	} {
		if got := worthHaving(parse(t, c.text), c.resource); got != c.want {
			t.Errorf("%s %s: %v", c.resource, c.text, got)
		}
	}
}

// TestClean: what is left is what somebody wrote.
func TestClean(t *testing.T) {
	for _, c := range []struct{ resource, text, want string }{
		{"configmaps", `
metadata: {name: a, uid: u, resourceVersion: "7", generation: 2, creationTimestamp: "2026-01-01T00:00:00Z", managedFields: [{manager: x}], annotations: {kubectl.kubernetes.io/last-applied-configuration: "{}"}}
data: {a: b}`, `
metadata: {name: a}
data: {a: b}`},
		{"services", `
metadata: {name: a}
spec: {clusterIP: 10.96.0.7, clusterIPs: [10.96.0.7], ports: [{port: 80}]}
status: {loadBalancer: {}}`, `
metadata: {name: a}
spec: {ports: [{port: 80}]}`},
		{"services", `
metadata: {name: a}
spec: {clusterIP: None, clusterIPs: [None]}`, `
metadata: {name: a}
spec: {clusterIP: None, clusterIPs: [None]}`},
		{"jobs.batch", `
metadata: {name: a, labels: {mine: x, job-name: a}}
spec: {selector: {matchLabels: {batch.kubernetes.io/controller-uid: u}}, template: {metadata: {labels: {controller-uid: u, mine: x}}}}`, `
metadata: {name: a, labels: {mine: x}}
spec: {template: {metadata: {labels: {mine: x}}}}`},
		{"pods", `
metadata: {name: a}
spec: {nodeName: node-1, priority: 0, volumes: [{name: kube-api-access-x}, {name: mine}], containers: [{name: c, volumeMounts: [{name: kube-api-access-x}, {name: mine}]}]}`, `
metadata: {name: a}
spec: {volumes: [{name: mine}], containers: [{name: c, volumeMounts: [{name: mine}]}]}`},
		{"persistentvolumeclaims", `
metadata: {name: a, annotations: {volume.kubernetes.io/selected-node: node-1, mine: x}}
spec: {volumeName: pvc-1}`, `
metadata: {name: a, annotations: {mine: x}}
spec: {}`},
	} {
		o := parse(t, c.text)
		clean(o, c.resource)
		got, _ := yaml.Marshal(o.Object)
		want, _ := yaml.Marshal(parse(t, c.want).Object)
		if strings.TrimSpace(string(got)) != strings.TrimSpace(string(want)) {
			t.Errorf("%s:\n%s\nwant\n%s", c.resource, got, want)
		}
	}
}
