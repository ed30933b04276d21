package node_test

import (
	"crypto/tls"
	"net/http"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

func TestNodesAreAsRealOnes(t *testing.T) {
	c := startCluster(t)
	nodes, err := c.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	if err != nil || len(nodes.Items) != 3 {
		t.Fatalf("%d nodes, %v", len(nodes.Items), err)
	}
	for _, n := range nodes.Items {
		want := map[corev1.NodeConditionType]corev1.ConditionStatus{
			corev1.NodeReady:          corev1.ConditionTrue,
			corev1.NodeMemoryPressure: corev1.ConditionFalse,
			corev1.NodeDiskPressure:   corev1.ConditionFalse,
			corev1.NodePIDPressure:    corev1.ConditionFalse,
		}
		for _, cond := range n.Status.Conditions {
			if cond.Status != want[cond.Type] {
				t.Errorf("%s: %s=%s: %s", n.Name, cond.Type, cond.Status, cond.Message)
			}
			delete(want, cond.Type)
		}
		if len(want) > 0 {
			t.Errorf("%s: conditions missing: %v", n.Name, want)
		}
		if a := n.Status.Addresses; len(a) != 2 || a[0].Type != corev1.NodeInternalIP || !strings.HasPrefix(a[0].Address, "172.30.0.1") ||
			a[1].Type != corev1.NodeHostName || a[1].Address != n.Name {
			t.Errorf("%s: addresses %+v", n.Name, a)
		}
		if n.Status.DaemonEndpoints.KubeletEndpoint.Port != 10250 || n.Spec.ProviderID != "tab://"+n.Name || n.Spec.PodCIDR == "" {
			t.Errorf("%s: endpoint %v, provider %q, pod CIDR %q", n.Name, n.Status.DaemonEndpoints, n.Spec.ProviderID, n.Spec.PodCIDR)
		}
		if i := n.Status.NodeInfo; i.OSImage != "Tabernetes" || i.KubeletVersion != "v1.36.3" || i.SystemUUID == "" || i.BootID == "" || i.ContainerRuntimeVersion == "" {
			t.Errorf("%s: info %+v", n.Name, i)
		}
		capacity, allocatable := n.Status.Capacity, n.Status.Allocatable
		if capacity.Cpu().Value() != 4 || capacity.Pods().Value() != 110 || capacity.StorageEphemeral().Value() != 32<<30 ||
			capacity.Memory().Value()-allocatable.Memory().Value() != 100<<20 || allocatable.StorageEphemeral().Value()>>20 != 29491 { // nine tenths
			t.Errorf("%s: capacity %v, allocatable %v", n.Name, capacity, allocatable)
		}
	}
}

// The kubelet's own server lets in whom the API server knows and allows, as
// upstream does it, and nobody else.
func TestKubeletServerAsksTheAPIServer(t *testing.T) {
	c := startCluster(t)
	const url = "https://172.30.0.11:10250/pods"
	insecure := rest.TLSClientConfig{Insecure: true}

	get := func(cfg *rest.Config) int {
		t.Helper()
		transport, err := rest.TransportFor(cfg)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := (&http.Client{Transport: transport, Timeout: patience}).Get(url)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp.StatusCode
	}
	if got := get(&rest.Config{TLSClientConfig: insecure}); got != http.StatusUnauthorized {
		t.Errorf("anonymous: %d", got)
	}
	if got := get(&rest.Config{TLSClientConfig: insecure, BearerToken: "made-up"}); got != http.StatusUnauthorized {
		t.Errorf("unknown token: %d", got)
	}
	admin := &rest.Config{TLSClientConfig: insecure}
	admin.CertData, admin.KeyData = c.config.CertData, c.config.KeyData
	if got := get(admin); got != http.StatusOK {
		t.Errorf("admin's certificate: %d", got)
	}

	ns := c.namespace(t, "kubelet-auth")
	token, err := c.CoreV1().ServiceAccounts(ns).CreateToken(t.Context(), "default", tokenRequest(), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := get(&rest.Config{TLSClientConfig: insecure, BearerToken: token.Status.Token}); got != http.StatusForbidden {
		t.Errorf("service account without the right: %d", got)
	}

	conn, err := tls.Dial("tcp", "172.30.0.11:10250", &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if cert := conn.ConnectionState().PeerCertificates[0]; cert.VerifyHostname("172.30.0.11") != nil || time.Until(cert.NotAfter) < time.Hour {
		t.Errorf("serving certificate for %v until %v", cert.IPAddresses, cert.NotAfter)
	}
}

func TestStatsSummary(t *testing.T) {
	c := startCluster(t)
	raw, err := c.CoreV1().RESTClient().Get().AbsPath("/api/v1/nodes/node-1/proxy/stats/summary").DoRaw(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"nodeName": "node-1"`, `"availableBytes"`, `"workingSetBytes"`, `"capacityBytes": 34359738368`} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("%s is missing in %s", want, raw)
		}
	}
}
