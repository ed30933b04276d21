package network

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	miekg "github.com/miekg/dns"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tabernetes/tabernetes/core/bootstrap"
	"github.com/tabernetes/tabernetes/nodehost/testnet"
	"github.com/tabernetes/tabernetes/nodehost/testnet/testcluster"
	"github.com/tabernetes/tabernetes/scripts/eventually"
)

func begin(t *testing.T) *testnet.Net {
	t.Helper()
	testnet.Require(t, "nft", "iptables")
	if _, err := os.Stat("/usr/lib/cni/bridge"); err != nil {
		t.Skip("the CNI plugins are missing: scripts/setup installs containernetworking-plugins")
	}
	testcluster.Shared.Open(t)
	if err := bootstrap.AllowNodesTheirNetwork(testcluster.Shared.Client); err != nil {
		t.Fatal(err)
	}
	return testnet.New(t)
}

// resolve asks the node's name server from a pod.
func resolve(pod *testnet.Namespace, name string) (string, error) {
	c, err := pod.Dial("udp", DNSAddress.String()+":53")
	if err != nil {
		return "", err
	}
	defer c.Close()
	client := &miekg.Client{Timeout: 2 * time.Second}
	m, _, err := client.ExchangeWithConn(new(miekg.Msg).SetQuestion(miekg.Fqdn(name), miekg.TypeA), &miekg.Conn{Conn: c})
	if err != nil {
		return "", err
	}
	if len(m.Answer) == 0 {
		return "", fmt.Errorf("%s: %s", name, miekg.RcodeToString[m.Rcode])
	}
	return m.Answer[0].(*miekg.A).A.String(), nil
}

// get fetches an URL from a pod, whose names are the cluster's.
func get(pod *testnet.Namespace, url string) (string, error) {
	client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{
		DisableKeepAlives: true,
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true}, // nodehost/proxy looks at certificates
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			host, port, _ := strings.Cut(address, ":")
			ip, err := resolve(pod, host)
			if err != nil {
				return nil, err
			}
			return pod.DialContext(ctx, network, ip+":"+port)
		},
	}}
	r, err := client.Get(url)
	if err != nil {
		return "", err
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	return string(b), err
}

func TestPodsOfTwoNodesFindEachOther(t *testing.T) {
	lan := begin(t)
	a := newNode(t, lan.Host(t, "192.168.1.11/24"), "real-a", "10.244.31.0/24")
	b := newNode(t, lan.Host(t, "192.168.2.12/24"), "real-b", "10.244.32.0/24")
	a.start(t)
	b.start(t)
	pa, _ := a.pod(t)
	pb, ipB := b.pod(t)
	if out := pa.MustExec(t, "ip", "link", "show", "eth0"); !strings.Contains(out, "mtu 1450") {
		t.Errorf("a pod's MTU: %s", out)
	}
	a.process.WaitFor(t, "event ADD bridge real-a-pod-1")

	// A web server on b, with a Service.
	payload := strings.Repeat("tabernetes", 100_000)
	l := pb.Listen(t, ipB+":8080")
	go func() {
		_ = http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, payload) }))
	}()
	makeService(t, "web", ipB, b.config.Node)
	eventually.OK(t, "the Service by its name, from the other node", func() error {
		body, err := get(pa, "http://web.default.svc.cluster.local:80/")
		if err == nil && body != payload {
			err = fmt.Errorf("%d of %d bytes", len(body), len(payload))
		}
		return err
	})
	if body, err := get(pa, "https://kubernetes.default.svc.cluster.local:443/version"); err != nil || !strings.Contains(body, "v1.36") {
		t.Errorf("the API server from a pod: %q, %v", body, err)
	}

	// The agent dies; pods go on. The tab is away when the agent comes back; pods start.
	testcluster.Shared.Open(t)()
	a.process.Kill()
	eventually.OK(t, "the other node's pod, without the agent", func() error { return dial(pa, ipB+":8080") })
	a.process = a.Launch(t, "network", a.config)
	late, _ := a.pod(t)
	if err := dial(late, ipB+":8080"); err != nil {
		t.Errorf("a pod that started while the tab was away: %v", err)
	}
	testcluster.Shared.Open(t)
	a.process.WaitFor(t, "ready")
	if body, err := get(late, "http://web.default.svc.cluster.local:80/"); err != nil || body != payload {
		t.Errorf("after the tab came back: %d bytes, %v", len(body), err)
	}

	// The node leaves, without any goodbye of its pods.
	a.process.Kill()
	p := a.Start(t, "remove", a.config)
	if err := p.Stop(); err != nil || strings.Contains(p.Output(), "left:") {
		t.Errorf("%v\n%s", err, p.Output())
	}
	for _, want := range []string{"interface tab-br0", "interface veth", "interface tab-vxlan", "interface tab-local", "route 10.244.32.0/24", "table ip kube-proxy", "table ip tabernetes", "05-tabernetes.conflist"} {
		if !strings.Contains(p.Output(), "before: ") || !strings.Contains(p.Output(), want) {
			t.Errorf("%s was not in the inventory:\n%s", want, p.Output())
		}
	}
	if out := a.MustExec(t, "ip", "-br", "link"); strings.Count(strings.TrimSpace(out), "\n") != 1 {
		t.Errorf("interfaces other than lo and eth0:\n%s", out)
	}
	if out := a.MustExec(t, "ip", "route"); strings.Contains(out, "10.244") {
		t.Errorf("routes are left:\n%s", out)
	}
	if out := a.MustExec(t, "nft", "list", "ruleset"); out != "" {
		t.Errorf("rules are left:\n%s", out)
	}
}

func TestSomebodyElsesNetwork(t *testing.T) {
	lan := begin(t)
	n := newNode(t, lan.Host(t, "192.168.1.11/24"), "real-c", "10.244.33.0/24")
	n.config.Existing = t.TempDir()
	file := filepath.Join(n.config.Existing, "10-theirs.conflist")
	if err := os.WriteFile(file, []byte(`{"cniVersion":"1.0.0","name":"theirs","plugins":[{"type":"ptp"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	theirs, unknown := n.theirPod(t, "10.99.0.2"), n.theirPod(t, "10.99.0.3")
	n.config.Theirs = []netip.Addr{netip.MustParseAddr("10.99.0.2")}
	n.start(t)
	// A pod of theirs is let in; whoever the runtime does not know, or is on the machine's network, is not.
	neighbour := lan.Host(t, "192.168.1.99/24")
	neighbour.MustExec(t, "ip", "route", "add", "172.30.0.10", "via", n.IP())
	neighbour.MustExec(t, "ip", "route", "add", "169.254.20.10", "via", n.IP())
	api := apiAddress(t)
	eventually.OK(t, "the API server, from a pod of theirs", func() error { return handshake(theirs, api) })
	if ip, err := resolve(theirs, "kubernetes.default.svc.cluster.local"); err != nil || ip != "10.96.0.1" {
		t.Errorf("names, for a pod of theirs: %q, %v", ip, err)
	}
	for who, from := range map[string]*testnet.Namespace{"a neighbour": neighbour.Namespace, "an unknown address": unknown} {
		if err := handshake(from, api); err == nil {
			t.Errorf("%s reaches the API server", who)
		}
		if ip, err := resolve(from, "kubernetes.default.svc.cluster.local"); err == nil && ip != "" {
			t.Errorf("%s is told that names are at %s", who, ip)
		}
	}
	if out := n.MustExec(t, "ip", "-br", "link"); strings.Contains(out, "tab-vxlan") {
		t.Errorf("ways of ours beside theirs:\n%s", out)
	}
	if ip, err := resolve(n.Namespace, "kubernetes.default.svc.cluster.local"); err != nil || ip != "10.96.0.1" {
		t.Errorf("names: %q, %v", ip, err)
	}
	n.process.Kill()
	p := n.Start(t, "remove", n.config)
	if err := p.Stop(); err != nil || strings.Contains(p.Output(), "left:") {
		t.Errorf("%v\n%s", err, p.Output())
	}
	if _, err := os.Stat(file); err != nil {
		t.Errorf("their configuration: %v", err)
	}
}

// apiAddress is where the kubernetes Service leads.
func apiAddress(t *testing.T) string {
	t.Helper()
	s, err := testcluster.Shared.Client.DiscoveryV1().EndpointSlices("default").Get(t.Context(), "kubernetes", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s:%d", s.Endpoints[0].Addresses[0], *s.Ports[0].Port)
}

// handshake speaks TLS with the API server.
func handshake(from *testnet.Namespace, address string) error {
	c, err := from.Dial("tcp", address)
	if err != nil {
		return err
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(5 * time.Second))
	return tls.Client(c, &tls.Config{InsecureSkipVerify: true}).Handshake() // nodehost/proxy looks at certificates
}

func dial(from *testnet.Namespace, address string) error {
	c, err := from.Dial("tcp", address)
	if err == nil {
		_ = c.Close()
	}
	return err
}

func makeService(t *testing.T, name, ip, node string) {
	t.Helper()
	client := testcluster.Shared.Client
	port := int32(8080)
	_, err := client.CoreV1().Services("default").Create(t.Context(), &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.DiscoveryV1().EndpointSlices("default").Create(t.Context(), &discoveryv1.EndpointSlice{
		ObjectMeta:  metav1.ObjectMeta{Name: name, Labels: map[string]string{discoveryv1.LabelServiceName: name}},
		AddressType: discoveryv1.AddressTypeIPv4,
		Ports:       []discoveryv1.EndpointPort{{Port: &port}},
		Endpoints:   []discoveryv1.Endpoint{{Addresses: []string{ip}, NodeName: &node}},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = client.CoreV1().Services("default").Delete(context.Background(), name, metav1.DeleteOptions{})
		_ = client.DiscoveryV1().EndpointSlices("default").Delete(context.Background(), name, metav1.DeleteOptions{})
	})
}
