package proxy

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/tabernetes/tabernetes/nodehost/testnet"
	"github.com/tabernetes/tabernetes/nodehost/testnet/testcluster"
	"github.com/tabernetes/tabernetes/scripts/eventually"
)

const bridge = "tab-br0"

var pods = netip.MustParsePrefix("10.244.7.0/24")

// node is a host with three pods, two of which serve.
type node struct {
	*testnet.Host
	net     *testnet.Net
	process *testnet.Process
	config  agentConfig
	client  *testnet.Namespace
}

func newNode(t *testing.T, path string) *node {
	t.Helper()
	testnet.Require(t, "nft", "iptables")
	testcluster.Shared.Open(t)
	net := testnet.New(t)
	n := &node{Host: net.Host(t, "192.168.1.11/24"), net: net}
	n.MustExec(t, "sysctl", "-qw", "net.ipv4.ip_forward=1")
	_, _ = n.Exec("sysctl", "-qw", "net.bridge.bridge-nf-call-iptables=1")
	n.MustExec(t, "ip", "link", "add", bridge, "address", "02:00:5e:00:00:02", "type", "bridge")
	n.MustExec(t, "ip", "addr", "add", pods.Addr().Next().String()+"/24", "dev", bridge)
	n.MustExec(t, "ip", "link", "set", bridge, "up")
	for i := range 3 {
		p := n.pod(t, i)
		if i == 0 {
			n.client = p
		}
	}
	n.config = agentConfig{testcluster.Agent{Access: testcluster.Shared.Access, Node: "real-node", IP: n.Addr.Addr(), Pods: pods, Path: path}, Auto}
	n.process = n.Start(t, "proxy", n.config)
	return n
}

// ip is the address of the pod with that number.
func ip(i int) string { return fmt.Sprintf("10.244.7.%d", i+2) }

func (n *node) pod(t *testing.T, i int) *testnet.Namespace {
	t.Helper()
	p := testnet.NewNamespace(t)
	host := fmt.Sprintf("veth%d", i)
	n.MustExec(t, "ip", "link", "add", host, "type", "veth", "peer", "name", "eth0", "netns", p.Name)
	n.MustExec(t, "ip", "link", "set", host, "master", bridge, "up")
	n.MustExec(t, "bridge", "link", "set", "dev", host, "hairpin", "on")
	p.MustExec(t, "ip", "addr", "add", ip(i)+"/24", "dev", "eth0")
	p.MustExec(t, "ip", "link", "set", "eth0", "up")
	p.MustExec(t, "ip", "route", "add", "default", "via", pods.Addr().Next().String())
	l := p.Listen(t, ip(i)+":8080")
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			fmt.Fprintf(c, "%d %s", i, c.RemoteAddr())
			_ = c.Close()
		}
	}()
	return p
}

// ask returns the number of the pod that answers, and whom it saw.
func ask(from *testnet.Namespace, address string) (pod int, seen string, err error) {
	c, err := from.Dial("tcp", address)
	if err != nil {
		return 0, "", err
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(3 * time.Second))
	b, err := io.ReadAll(c)
	if err == nil {
		_, err = fmt.Sscan(string(b), &pod, &seen)
	}
	seen, _, _ = strings.Cut(seen, ":")
	return pod, seen, err
}

// wantPods asks until all of these have answered, and fails when another one does.
func wantPods(t *testing.T, from *testnet.Namespace, address string, want ...int) {
	t.Helper()
	missing := map[int]bool{}
	for _, i := range want {
		missing[i] = true
	}
	eventually.OK(t, fmt.Sprintf("%v behind %s", want, address), func() error {
		pod, _, err := ask(from, address)
		if err != nil {
			return err
		}
		delete(missing, pod)
		if len(missing) > 0 {
			return fmt.Errorf("%v have not answered yet", missing)
		}
		return nil
	})
}

func service(t *testing.T, s *corev1.Service) *corev1.Service {
	t.Helper()
	services := testcluster.Shared.Client.CoreV1().Services("default")
	s.Spec.Ports = []corev1.ServicePort{{Port: 80}}
	made, err := services.Create(t.Context(), s, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = services.Delete(context.Background(), s.Name, metav1.DeleteOptions{}) })
	return made
}

// endpoints makes these pods be what is behind the Service.
func setEndpoints(t *testing.T, name string, which ...int) {
	t.Helper()
	slices := testcluster.Shared.Client.DiscoveryV1().EndpointSlices("default")
	port, node := int32(8080), "real-node"
	s := &discoveryv1.EndpointSlice{
		ObjectMeta:  metav1.ObjectMeta{Name: name, Labels: map[string]string{discoveryv1.LabelServiceName: name}},
		AddressType: discoveryv1.AddressTypeIPv4,
		Ports:       []discoveryv1.EndpointPort{{Port: &port}},
	}
	for _, i := range which {
		s.Endpoints = append(s.Endpoints, discoveryv1.Endpoint{Addresses: []string{ip(i)}, NodeName: &node})
	}
	_ = slices.Delete(t.Context(), name, metav1.DeleteOptions{})
	if _, err := slices.Create(t.Context(), s, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = slices.Delete(context.Background(), name, metav1.DeleteOptions{}) })
}

func TestServices(t *testing.T) {
	for mode, path := range map[Mode]string{NFTables: "", IPTables: testnet.Without(t, "nft")} {
		t.Run(string(mode), func(t *testing.T) {
			n := newNode(t, path)
			n.process.WaitFor(t, "Services are served by="+string(mode))
			outside := n.net.Host(t, "192.168.1.99/24")
			web := service(t, &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeNodePort}})
			setEndpoints(t, "web", 1, 2)
			cluster := web.Spec.ClusterIP + ":80"
			nodePort := fmt.Sprintf("%s:%d", n.IP(), web.Spec.Ports[0].NodePort)

			wantPods(t, n.client, cluster, 1, 2)
			if _, seen, err := ask(n.client, cluster); err != nil || seen != ip(0) {
				t.Errorf("the Service's pod sees %q, %v", seen, err)
			}
			wantPods(t, n.Namespace, cluster, 1, 2) // the machine itself
			wantPods(t, outside.Namespace, nodePort, 1, 2)
			wantPods(t, n.client, nodePort, 1, 2)

			// Through its own Service a pod reaches itself.
			setEndpoints(t, "web", 0)
			wantPods(t, n.client, cluster, 0)

			// An endpoint goes, then the last one: refused, not waited for.
			setEndpoints(t, "web", 2)
			eventually.OK(t, "only pod 2", func() error {
				for range 8 {
					if pod, _, err := ask(n.client, cluster); err != nil || pod != 2 {
						return fmt.Errorf("pod %d, %v", pod, err)
					}
				}
				return nil
			})
			setEndpoints(t, "web")
			eventually.OK(t, "a refusal", func() error {
				if _, _, err := ask(n.client, cluster); err == nil || !strings.Contains(err.Error(), "refused") {
					return fmt.Errorf("%v", err)
				}
				return nil
			})

			sticky := service(t, &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "sticky"}, Spec: corev1.ServiceSpec{SessionAffinity: corev1.ServiceAffinityClientIP}})
			setEndpoints(t, "sticky", 1, 2)
			first := 0
			eventually.OK(t, "the sticky Service", func() (err error) {
				first, _, err = ask(n.client, sticky.Spec.ClusterIP+":80")
				return err
			})
			for range 20 {
				if pod, _, err := ask(n.client, sticky.Spec.ClusterIP+":80"); err != nil || pod != first {
					t.Fatalf("the session went from pod %d to %d, %v", first, pod, err)
				}
			}

			// Without kube-proxy everything goes on; after leaving, nothing is left.
			n.process.Kill()
			if pod, _, err := ask(n.client, sticky.Spec.ClusterIP+":80"); err != nil || pod != first {
				t.Errorf("after the end of kube-proxy: pod %d, %v", pod, err)
			}
			p := n.Start(t, "remove", nil)
			if err := p.Stop(); err != nil || strings.Contains(p.Output(), "left:") || !strings.Contains(p.Output(), "before: "+string(mode)) {
				t.Errorf("%v\n%s", err, p.Output())
			}
			if out := n.MustExec(t, "nft", "list", "ruleset"); strings.Contains(out, "KUBE") || strings.Contains(out, "kube-proxy") {
				t.Errorf("rules are left:\n%s", out)
			}
			if out := n.MustExec(t, "ip", "-br", "link"); strings.Contains(out, "tab-local") {
				t.Errorf("interfaces are left:\n%s", out)
			}
		})
	}
}

// A pod finds the API server where every pod of every cluster does, and TLS is the API server's.
func TestThePodsWayToTheAPIServer(t *testing.T) {
	n := newNode(t, "")
	config, err := clientcmd.BuildConfigFromFlags("", testcluster.Shared.Access.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	for name, from := range map[string]*testnet.Namespace{"pod": n.client, "machine": n.Namespace} {
		eventually.OK(t, name, func() error { return getHealthz(from, config) })
	}

	// Somebody else's packets do not get in.
	outside := n.net.Host(t, "192.168.1.99/24")
	outside.MustExec(t, "ip", "route", "add", "172.30.0.10", "via", n.IP())
	slice, err := testcluster.Shared.Client.DiscoveryV1().EndpointSlices("default").Get(t.Context(), "kubernetes", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	api := fmt.Sprintf("%s:%d", slice.Endpoints[0].Addresses[0], *slice.Ports[0].Port)
	if err := getHealthz(n.Namespace, config, api); err != nil {
		t.Errorf("the machine at %s: %v", api, err)
	}
	if err := getHealthz(outside.Namespace, config, api); err == nil {
		t.Error("another machine got through to the API server")
	}

	// The tunnel is away, and comes back.
	testcluster.Shared.Open(t)()
	if err := getHealthz(n.client, config); err == nil {
		t.Error("there is no tunnel, and yet an answer")
	}
	testcluster.Shared.Open(t)
	eventually.OK(t, "after the tunnel came back", func() error { return getHealthz(n.client, config) })
}

func getHealthz(from *testnet.Namespace, config *rest.Config, address ...string) error {
	ca := x509.NewCertPool()
	pem := config.CAData
	if config.CAFile != "" {
		var err error
		if pem, err = os.ReadFile(config.CAFile); err != nil {
			return err
		}
	}
	ca.AppendCertsFromPEM(pem)
	to := "10.96.0.1:443"
	if len(address) > 0 {
		to = address[0]
	}
	client := &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{
		DialContext:       from.DialContext,
		TLSClientConfig:   &tls.Config{RootCAs: ca, ServerName: "kubernetes.default.svc"},
		DisableKeepAlives: true,
	}}
	r, err := client.Get("https://" + to + "/version")
	if err != nil {
		return err
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err == nil && !strings.Contains(string(b), "v1.36") {
		err = fmt.Errorf("%s: %s", r.Status, b)
	}
	return err
}
