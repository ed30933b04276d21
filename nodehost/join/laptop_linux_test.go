package join

import "testing"

// forwarded is a line that asks what kubectl port-forward leads to, at a port of the laptop's own, and ends it again.
func forwarded(target, port, path string) string {
	return "( kubectl port-forward " + target + " 18099:" + port + " >/dev/null & pid=$!; " +
		"curl -s --retry 50 --retry-connrefused --retry-delay 1 --max-time 60 http://127.0.0.1:18099" + path + "; code=$?; " +
		"pkill -P $pid; kill $pid 2>/dev/null; wait $pid; exit $code )"
}

// testLaptop is the laptop's row of who reaches whom: a machine that is no node, with kubectl and a kubeconfig of the
// hub. What it reaches it reaches by the API server; addresses and names of pods and Services mean nothing to it.
func (r *rig) testLaptop(t *testing.T, tab string) {
	raw := func(path string) string { return "kubectl get --raw '/api/v1/" + path + "'" }
	for _, c := range []struct{ what, line, want string }{
		{"a pod of the tab, forwarded", forwarded("pod/tab", "8080", "/echo?msg=hello"), "hello"},
		{"a Service of the tab, forwarded", forwarded("service/tab", "80", "/echo?msg=hello"), "hello"},
		{"a machine's pod, forwarded", forwarded("pod/machine", "80", "/") + " | grep -c '<title>Welcome'", "1"},
		{"a pod of the tab, by the API server", raw("namespaces/default/pods/tab:8080/proxy/echo?msg=hello"), "hello"},
		{"a Service of the tab, by the API server", raw("namespaces/default/services/tab:80/proxy/echo?msg=hello"), "hello"},
		{"a node port of an in-tab node, by the API server", raw("nodes/node-1:30081/proxy/echo?msg=hello"), "hello"},
		{"a machine's pod, by the API server", raw("namespaces/default/pods/machine:80/proxy/") + " | grep -c '<title>Welcome'", "1"},
		{"a Service of the machine, by the API server", raw("namespaces/default/services/machine:80/proxy/") + " | grep -c '<title>Welcome'", "1"},
		{"a shell in a pod of the tab", "kubectl exec tab -- hostname", "tab"},
	} {
		t.Run(c.what, func(t *testing.T) { r.Eventually(t, c.line, c.want) })
	}
	for what, line := range map[string]string{
		"a pod's address":     "curl -sS --max-time 2 http://" + tab + ":8080/echo?msg=hello",
		"a Service's name":    "getent hosts tab.default.svc.cluster.local",
		"a Service's address": "curl -sS --max-time 2 http://$(kubectl get service tab -o jsonpath={.spec.clusterIP})/echo?msg=hello",
	} {
		t.Run(what, func(t *testing.T) {
			if out, err := r.Try(line); err == nil {
				t.Errorf("%s leads somewhere: %s", what, out)
			}
		})
	}
}
