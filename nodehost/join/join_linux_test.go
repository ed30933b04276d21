package join

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/realnode/wellknown"
	"github.com/tabernetes/tabernetes/nodehost/network"
	"github.com/tabernetes/tabernetes/nodehost/nodetest"
)

// Real kubelets, containerd and containers, on machines of the test's own, joined to a cluster through
// a hub. The parts go on from one another.
func TestRealNodes(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	t.Run("who cannot join", r.testErrors)
	t.Run("a planted plugin", r.testPlanted)
	t.Run("leave where no node is", r.testNoNode)
	a := r.host(t, "alpha", "192.168.171.11/24")
	before := a.Traces(t)
	line := a.JoinLine(t)
	agent := a.Join(t, line...)
	t.Run("the token is gone", func(t *testing.T) { testToken(t, a, line) })
	a.ImportImages(t, "pause", "busybox", "nginx")
	t.Run("what a node is", func(t *testing.T) { r.testNode(t, a) })
	t.Run("nothing listens outside", func(t *testing.T) { testListeners(t, a) })
	t.Run("a Deployment", func(t *testing.T) { r.testDeployment(t, a) })
	t.Run("the trace of a Deployment", func(t *testing.T) { r.testTrace(t, a) })
	t.Run("the tree of the guide's Deployment", func(t *testing.T) { r.testGuidedTree(t, a) })
	if t.Failed() {
		return
	}
	t.Run("a pull from a registry", func(t *testing.T) { r.testPull(t, a) })
	t.Run("another cluster's line", func(t *testing.T) {
		line := a.Nodehost([]string{"join"}, r.URL(), "--cluster", "other", "--token", "abcdef.0123456789abcdef", "--ca-cert-hash", "sha256:"+strings.Repeat("0", 64))
		agent.End(syscall.SIGTERM)
		out, err := nodetest.Run(a.Namespace, nodetest.Patience, line[0], line[1:]...)
		if nodetest.ExitCode(err) != 1 || !strings.Contains(out, "a node already") {
			t.Errorf("%v", err)
		}
		agent = a.Join(t)
	})
	t.Run("delete", func(t *testing.T) {
		r.Kubectl(t, "kubectl delete service web && kubectl delete deployment web --wait --timeout=60s")
		r.Eventually(t, "kubectl get pods -o name", "")
	})
	t.Run("leave", func(t *testing.T) {
		r.rolledOut(t, nginxPods{name: "late", replicas: 1, pod: []string{onAnyRealNodes}})
		r.Kubectl(t, "kubectl scale deploy/late --replicas=0 && kubectl delete deploy late --wait=false")
		a.Leave(t)
		r.Eventually(t, "kubectl get nodes -o name", "node/node-1")
		a.removeOwners(t, filepath.Join(a.Place.Registries(), "*", "hosts.toml"))
		clean(t, a, before)
	})
	t.Run("an interrupted leave", func(t *testing.T) { r.testInterrupted(t, a, before) })
	t.Run("kill -9 of everything", func(t *testing.T) { r.testKilled(t, a, before) })
	t.Run("a runtime that runs already", r.testForeign)
}

// clean compares with what was there before.
func clean(t *testing.T, h *host, before []string) {
	t.Helper()
	gone, came := difference(before, h.Traces(t))
	if len(gone)+len(came) > 0 {
		t.Errorf("after it has left\ncame: %s\ngone: %s", strings.Join(came, "\n      "), strings.Join(gone, "\n      "))
	}
}

func (r *rig) testErrors(t *testing.T) {
	good := r.Line(t) // URL --hub-cert-hash sha256:… --cluster test --token … --ca-cert-hash …
	token := good[slices.Index(good, "--token")+1]
	with := func(flag, value string) []string {
		line := slices.Clone(good)
		if flag == "" {
			line[0] = value
			return line
		}
		line[slices.Index(line, flag)+1] = value
		return line
	}
	h := r.host(t, "nobody", "192.168.171.20/24")
	cases := map[string]struct {
		line []string
		want string
	}{
		"a token that nobody made":        {with("--token", "zzzzzz.0123456789abcdef"), "nobody made it, or it has expired"},
		"a token with another secret":     {with("--token", token[:7]+"0123456789abcdef"), "its second half is wrong"},
		"half a token":                    {with("--token", "abcdef"), "has to look like"},
		"another pin":                     {with("--ca-cert-hash", "sha256:"+strings.Repeat("0", 64)), "the cluster's CA is not the one"},
		"a hub that is not there":         {with("", "https://"+r.Hub.IP()+":1"), "connection refused"},
		"a hub with another certificate":  {with("--hub-cert-hash", "sha256:"+strings.Repeat("0", 64)), "the hub's certificate is not the one"},
		"a hub's hash without TLS":        {with("", "http://"+r.Hub.IP()+":"+nodetest.HubPort), "an https URL is needed"},
		"a hub that is no URL":            {with("", "192.168.171.2"), "not an http or https URL"},
		"a cluster that is not there":     {with("--cluster", "nowhere"), `no cluster is called "nowhere"`},
		"a name that an in-tab node has":  {append(slices.Clone(good), "--node-name", "node-1"), `there is a node called "node-1"`},
		"a name that is no name":          {append(slices.Clone(good), "--node-name", "A_b"), "cannot be a node's name"},
		"thresholds of nothing":           {append(slices.Clone(good), "--eviction-hard", "disk<10%"), "--eviction-hard: unsupported eviction signal disk"},
		"an address that is not its":      {append(slices.Clone(good), "--node-ip", "192.168.171.99"), "is not an address of this machine"},
		"no line at all":                  {nil, "has not joined a cluster"},
		"a runtime that is not there":     {append(slices.Clone(good), "--cri-endpoint", "unix:///run/crio.sock", "--cni-conf-dir", "/etc/cni/net.d"), "the container runtime at unix:///run/crio.sock"},
		"a runtime without its network":   {append(slices.Clone(good), "--cri-endpoint", "unix:///run/crio.sock"), "--cni-conf-dir /etc/cni/net.d"},
		"a machine without CNI's plugins": {append(slices.Clone(good), "--cni-bin-dir", "/nowhere"), "containernetworking-plugins"},
	}
	// All at once: some of them wait for a hub or a token, as nodehost has patience.
	type end struct {
		dir, out string
		err      error
	}
	ends := map[string]chan end{}
	port := 20000 // of the kubelet, whose freedom is tried: each its own
	for name, c := range cases {
		port++
		dir, done := nodetest.ShortDir(t), make(chan end, 1)
		line := append([]string{r.Program(), "join", "--dir", dir + "/n", "--run-dir", dir + "/r", "--cgroup-root", h.Cgroup, "--kubelet-port", strconv.Itoa(port)}, c.line...)
		go func() {
			out, err := nodetest.Run(h.Namespace, nodetest.Patience, "nsenter", append([]string{"--mount=" + h.Mounts, "--"}, line...)...)
			done <- end{dir, out, err}
		}()
		ends[name] = done
	}
	for name, c := range cases {
		end := <-ends[name]
		t.Run(name, func(t *testing.T) {
			dir, out, err := end.dir, end.out, end.err
			if nodetest.ExitCode(err) != 1 {
				t.Fatalf("exit code %d, want 1: %v", nodetest.ExitCode(err), err)
			}
			var said []string
			for l := range strings.Lines(out) {
				if strings.HasPrefix(l, "nodehost: ") {
					said = append(said, l)
				}
			}
			if len(said) != 1 || !strings.Contains(strings.Join(strings.Fields(out), " "), c.want) {
				t.Errorf("it says %q, want one error with %q\n%s", said, c.want, out)
			}
			if _, err := os.Stat(dir + "/n/containerd"); err == nil {
				t.Error("it has begun to change the machine")
			}
		})
	}
}

type taint struct{ Key, Value, Effect string }

func (r *rig) testNode(t *testing.T, h *host) {
	var node struct {
		Metadata struct{ Labels map[string]string }
		Spec     struct {
			Taints  []taint
			PodCIDR string
		}
		Status struct {
			Addresses []struct{ Type, Address string }
			NodeInfo  struct{ KubeletVersion, ContainerRuntimeVersion string }
		}
	}
	if err := json.Unmarshal([]byte(r.Kubectl(t, "kubectl get node alpha -o json")), &node); err != nil {
		t.Fatal(err)
	}
	// The control plane's own, of a node that was not ready a moment ago, may still be there.
	if !slices.Contains(node.Spec.Taints, taint{wellknown.TaintKey, wellknown.Real, "NoSchedule"}) {
		t.Errorf("taints %v: pods that do not ask for a real node would come", node.Spec.Taints)
	}
	if a := node.Status.Addresses[0]; a.Address != h.IP() {
		t.Errorf("its address is %v, want %s", a, h.IP())
	}
	if !strings.HasPrefix(node.Status.NodeInfo.ContainerRuntimeVersion, "containerd://") || node.Spec.PodCIDR == "" {
		t.Errorf("%+v", node)
	}
	requests := r.Kubectl(t, `kubectl get csr -o jsonpath='{range .items[*]}{.spec.signerName} {.spec.username} {.status.conditions[0].type}{"\n"}{end}' | grep kubelet | sort`)
	want := regexp.MustCompile(`^kubernetes.io/kube-apiserver-client-kubelet system:bootstrap:\w+ Approved\nkubernetes.io/kubelet-serving system:node:alpha Approved$`)
	if !want.MatchString(requests) {
		t.Errorf("its certificates were asked for so:\n%s", requests)
	}
	// What the node's own certificate may do is the Node authorizer's matter.
	own := func(line string) string {
		out, _ := h.Command("bash", "-c", filepath.Join(r.Built, "kubectl")+" --kubeconfig "+h.Place.Kubeconfig()+" "+line)
		return out
	}
	for line, want := range map[string]string{
		"auth can-i get node/alpha":                    "yes",
		"auth can-i list secrets -A":                   "no",
		"auth can-i delete node/alpha":                 "no",
		"auth can-i create certificatesigningrequests": "yes",
		"label node node-1 a=b":                        "forbidden", // by NodeRestriction
		"get secrets -n kube-system":                   "Forbidden",
	} {
		if out := own(line); !strings.Contains(out, want) {
			t.Errorf("with the node's certificate, %s: %s, want %s", line, out, want)
		}
	}
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

// testListeners looks for sockets, TCP and UDP, that listen on an address of the machine's network. Those on
// nodehost/localaddr's addresses are for the machine's own pods: it looks at who calls.
func testListeners(t *testing.T, h *host) {
	for l := range strings.Lines(h.Must(t, "ss", "-Hltunp")) {
		address, err := netip.ParseAddrPort(strings.Fields(l)[4])
		if err != nil || !address.Addr().IsLoopback() && address.Addr() != network.DNSAddress && address.Addr() != proxyAddress {
			t.Errorf("something listens: %s", l)
		}
	}
}

// proxyAddress is where the "kubernetes" Service leads.
var proxyAddress = netip.MustParseAddr("172.30.0.10")

var deployment = nginxPods{
	name: "web", replicas: 2,
	pod: []string{onRealNodes, "volumes: [{name: scratch, emptyDir: {medium: Memory}}]"},
	container: []string{
		"resources: {requests: {cpu: 10m, memory: 16Mi}, limits: {memory: 64Mi}}",
		"readinessProbe: {httpGet: {path: /, port: 80}, timeoutSeconds: 10}",
		"volumeMounts: [{name: scratch, mountPath: /scratch}]",
	},
}

func (r *rig) testDeployment(t *testing.T, h *host) {
	began := time.Now()
	r.rolledOut(t, deployment)
	t.Logf("two pods are Ready after %s", time.Since(began).Round(100*time.Millisecond))
	r.Eventually(t, "kubectl get pods -l app=web -o jsonpath='{.items[*].spec.nodeName}'", "alpha alpha")
	r.Eventually(t, "kubectl logs deploy/web 2>/dev/null | grep -c 'GET / HTTP/1.1\" 200' | sed 's/[1-9][0-9]*/some/'", "some")
	r.exec(t)
	if _, err := r.Try("kubectl exec deploy/web -- sh -c 'exit 7'"); nodetest.ExitCode(err) != 7 {
		t.Errorf("exec's exit code: %v", err)
	}
	if out := r.Kubectl(t, "echo from here | kubectl exec -i deploy/web -- sh -c 'cat > /scratch/x; mount | grep -c \"/scratch type tmpfs\"; cat /scratch/x'"); out != "1\nfrom here" {
		t.Errorf("standard input and a volume in memory: %q", out)
	}
	if out := r.Kubectl(t, "cd $(mktemp -d) && kubectl cp $(kubectl get pod -l app=web -o jsonpath='{.items[0].metadata.name}'):/etc/nginx/nginx.conf conf 2>/dev/null && grep -c worker conf; rm -r $PWD"); lastLine(out) != "2" {
		t.Errorf("cp: %q", out)
	}
	forwarded := r.Kubectl(t, `exec 3< <(exec `+filepath.Join(r.Built, "kubectl")+` --kubeconfig `+r.Kubeconfig()+` port-forward deploy/web :80)
		forward=$!; read -r -u 3 line; port=${line%% ->*}; port=${port##*:}
		curl -sS --max-time 20 http://127.0.0.1:$port/; kill $forward`)
	if !strings.Contains(forwarded, "Welcome to nginx!") {
		t.Errorf("port-forward: %q", forwarded)
	}
	if out := r.Kubectl(t, "kubectl get --raw /api/v1/namespaces/default/pods/$(kubectl get pod -l app=web -o jsonpath='{.items[0].metadata.name}'):80/proxy/"); !strings.Contains(out, "Welcome") {
		t.Errorf("the apiserver's proxy to a pod: %q", out)
	}
	if out := r.Kubectl(t, "kubectl get --raw /api/v1/nodes/alpha/proxy/metrics | grep -c '^kubelet_running_pods '"); out != "1" {
		t.Errorf("metrics: %q", out)
	}
	r.Eventually(t, `kubectl get --raw /api/v1/nodes/alpha/proxy/stats/summary | grep -c '"name": "nginx"'`, "2")
	r.Kubectl(t, "kubectl expose deploy/web --port=80")
	r.Eventually(t, "kubectl exec deploy/web -- curl -sS http://web.default.svc.cluster.local/ | grep -c 'Welcome to nginx!</h1>'", "1")
	r.Eventually(t, "kubectl exec deploy/web -- curl -sS --cacert /var/run/secrets/kubernetes.io/serviceaccount/ca.crt https://kubernetes.default/readyz", "ok")
	r.Eventually(t, "kubectl get events -o json | grep -c '\"reason\": \"Started\"'", "2")
	// Its limit is in the machine's control groups.
	if out := h.Must(t, "bash", "-c", "cat $(find /sys/fs/cgroup -path '*"+h.Cgroup+"/kubepods*' \\( -name memory.limit_in_bytes -o -name memory.max \\)) | grep -c '^67108864$'"); strings.TrimSpace(out) == "0" {
		t.Error("no control group has the container's memory limit")
	}
}

// exec runs a command in a container, as soon as the kubelet knows it.
func (r *rig) exec(t *testing.T) {
	t.Helper()
	r.Eventually(t, "kubectl exec deploy/web -- hostname | cut -c1-4", "web-")
}

// containers are the containers of the pods with such labels, with how often they were started.
func (r *rig) containers(t *testing.T, labels string) string {
	t.Helper()
	return r.Kubectl(t, `kubectl get pods -l '`+labels+`' --sort-by=.metadata.name -o jsonpath='{range .items[*]}{.metadata.name} {.status.podIP} {.status.containerStatuses[0].containerID} {.status.containerStatuses[0].restartCount}{"\n"}{end}'`)
}

func (r *rig) awaitContainerd(t *testing.T, h *host, before int) {
	t.Helper()
	for end := time.Now().Add(nodetest.Patience); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if now := nodetest.PID("containerd --config " + h.Place.Containerd()); now != 0 && now != before {
			if _, err := h.Command("ctr", "--address", h.Place.Socket(), "version"); err == nil {
				return
			}
		}
	}
	t.Fatal("containerd does not come back")
}

// testInterrupted has a node whose leaving was cut short at the worst moment join again.
func (r *rig) testInterrupted(t *testing.T, h *host, before []string) {
	agent := h.Join(t, h.JoinLine(t)...)
	h.ImportImages(t, "pause", "busybox")
	sleep := fmt.Sprintf("sleep %d", 1_000_000+os.Getpid()) // nobody else on this machine sleeps so
	r.Kubectl(t, `kubectl run stays --image=busybox --image-pull-policy=IfNotPresent --restart=Never --overrides='{"spec":{"tolerations":[{"operator":"Exists"}],"nodeName":"alpha"}}' -- `+sleep)
	r.Kubectl(t, "kubectl wait --for=condition=Ready pod/stays --timeout=90s")
	agent.End(syscall.SIGKILL)
	state, err := h.Place.Load()
	if err != nil {
		t.Fatal(err)
	}
	state.Leaving = true
	if err := h.Place.Save(state); err != nil {
		t.Fatal(err)
	}
	r.Kubectl(t, "kubectl delete node alpha")
	sleeper := nodetest.PID(sleep)
	if sleeper == 0 {
		t.Error("the container did not go on")
	}
	agent = h.Join(t, h.JoinLine(t)...)
	if n := nodetest.PID(sleep); n == sleeper {
		t.Error("a container of the node that was there before goes on")
	}
	h.Leave(t)
	select {
	case <-agent.Done:
	case <-time.After(nodetest.Patience):
		t.Error("nodehost join does not end when the node leaves")
	}
	clean(t, h, before)
}
