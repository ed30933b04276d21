package join

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/nodehost/nodedir"
	"github.com/tabernetes/tabernetes/nodehost/nodetest"
)

// web is nginx on both real nodes, that says which node it is on, behind a Service; client is a pod
// that asks.
var webOnBothNodes = nginxPods{
	name: "web", replicas: 2,
	pod: []string{
		onRealNodes,
		"terminationGracePeriodSeconds: 20",
		"topologySpreadConstraints:",
		"- {maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}, matchLabelKeys: [pod-template-hash]}",
	},
	container: []string{
		"ports: [{containerPort: 80}]",
		"env: [{name: NODE, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}]",
		`command: [sh, -c, 'f=$(find / -xdev -name index*.html | head -1); echo $NODE > $f; exec nginx -g "daemon off;"']`,
		"readinessProbe: {httpGet: {path: /, port: 80}, timeoutSeconds: 10}",
		// As everywhere: whoever was sent here before the rules changed is still served.
		"lifecycle: {preStop: {sleep: {seconds: 5}}}",
	},
}

const webAndClient = `
apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  type: NodePort
  selector: {app: web}
  ports: [{port: 80, nodePort: 30080}]
---
apiVersion: v1
kind: Pod
metadata: {name: client}
spec:
  nodeName: alpha
  tolerations: [{operator: Exists}]
  terminationGracePeriodSeconds: 0
  containers:
  - {name: nginx, image: nginx, imagePullPolicy: IfNotPresent, ports: [{containerPort: 80, hostPort: 8088}]}
`

// Two machines in different subnets: what pods of both find of each other.
func TestPodsOfTwoMachines(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a, b := r.host(t, "alpha", "192.168.171.11/24"), r.host(t, "beta", "192.168.172.12/24")
	before := a.Traces(t)
	a.Join(t, a.JoinLine(t)...)
	b.Join(t, b.JoinLine(t)...)
	a.ImportImages(t, "pause", "busybox", "nginx")
	b.ImportImages(t, "pause", "busybox", "nginx")
	r.apply(t, webAndClient)
	r.rolledOut(t, webOnBothNodes)
	r.Kubectl(t, "kubectl wait pod/client --for=condition=Ready --timeout=60s")

	inClient := func(t *testing.T, script string) string {
		t.Helper()
		return r.Kubectl(t, "kubectl exec -i client -- sh <<'END'\n"+script+"\nEND")
	}
	t.Run("a Service by its name, on both machines", func(t *testing.T) {
		// A pod is Ready a moment before the rules of every machine lead to it.
		r.Eventually(t, "kubectl exec -i client -- sh <<'END'\nfor i in $(seq 40); do curl -sS --max-time 5 http://web.default || echo lost; done 2>/dev/null | sort -u\nEND", "alpha\nbeta")
	})
	t.Run("the tab, from a pod", func(t *testing.T) {
		if out := inClient(t, "curl -sSk --max-time 10 https://kubernetes.default/version"); !strings.Contains(out, `"gitVersion": "v1.36`) {
			t.Errorf("%s", out)
		}
		// As a program in a pod does it: with the account's token, and the CA that is mounted.
		out := inClient(t, `cd /var/run/secrets/kubernetes.io/serviceaccount &&
			curl -sS --max-time 10 --cacert ca.crt -H "Authorization: Bearer $(cat token)" https://kubernetes.default.svc/api/v1/namespaces/default/pods | head -c 400`)
		if !strings.Contains(out, `"Forbidden"`) || !strings.Contains(out, "system:serviceaccount:default:default") {
			t.Errorf("%s", out)
		}
	})
	t.Run("ports of the machines, from outside", func(t *testing.T) {
		for _, port := range []string{a.IP() + ":30080", b.IP() + ":30080"} {
			r.Eventually(t, "for i in $(seq 40); do curl -sS --max-time 5 http://"+port+" || echo lost; done 2>/dev/null | sort -u", "alpha\nbeta")
		}
		if out, err := nodetest.Run(r.Hub.Namespace, nodetest.Patience, "curl", "-sS", "--max-time", "5", "http://"+a.IP()+":8088"); err != nil || !strings.Contains(out, "nginx") {
			t.Errorf("the client's port on its machine: %s, %v", out, err)
		}
	})
	t.Run("a rolling update under load", func(t *testing.T) {
		asking := r.Start(t, r.Hub.Namespace, "load", []string{"bash", "-c", fmt.Sprintf(
			`%s/kubectl --kubeconfig %s exec -i client -- sh <<'END'
n=0; lost=0; echo asking
while [ ! -e /stop ]; do n=$((n+1)); curl -sS --max-time 5 http://web.default >/dev/null || lost=$((lost+1)); done
echo asked $n lost $lost
END`, r.Built, r.Kubeconfig())})
		asking.Await(t, "asking")
		r.Kubectl(t, "kubectl rollout restart deploy/web && kubectl rollout status deploy/web --timeout=150s")
		inClient(t, "touch /stop")
		asking.Await(t, "asked ")
		t.Log(lastLine(asking.Text()))
		if !strings.Contains(asking.Text(), " lost 0\n") {
			t.Errorf("%s", asking.Text())
		}
	})
	t.Run("the path of a packet, as it is told and as it is", func(t *testing.T) { r.testPathsOfPackets(t, a, b) })
	t.Run("leave", func(t *testing.T) {
		r.Kubectl(t, "kubectl delete pod client --wait --timeout=60s")
		a.Leave(t, "--force") // the other machine alone cannot hold to the spread: a drain would not end
		clean(t, a, before)
		r.Eventually(t, "kubectl get nodes -o name | sort | tr '\\n' ' '", "node/beta node/node-1")
		// It hears of the Node's end by its own watch.
		for end := time.Now().Add(nodetest.Patience); ; time.Sleep(100 * time.Millisecond) {
			out := b.Must(t, "ip", "route", "show", "proto", "84")
			if !strings.Contains(out, "via") {
				break
			}
			if time.Now().After(end) {
				t.Fatalf("the other machine still has a way to it:\n%s", out)
			}
		}
	})
}

func TestWaysThatDoNotExist(t *testing.T) {
	for want, s := range map[string]nodedir.Settings{
		"none of auto, vxlan, routes":   {Overlay: "wireguard"},
		"neither nftables nor iptables": {Proxy: "ipvs"},
	} {
		o := Options{Hub: "http://192.0.2.1", Node: "alpha", Place: nodedir.Place{Dir: t.TempDir(), Run: t.TempDir()}, Settings: s}
		if _, err := o.state(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", s, err)
		}
	}
}
