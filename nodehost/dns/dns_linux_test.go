package dns

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	miekg "github.com/miekg/dns"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/tabernetes/tabernetes/nodehost/localaddr"
	"github.com/tabernetes/tabernetes/nodehost/testnet"
	"github.com/tabernetes/tabernetes/nodehost/testnet/testcluster"
	"github.com/tabernetes/tabernetes/scripts/eventually"
)

// node is a host with a name server.
type node struct {
	*testnet.Host
	net        *testnet.Net
	process    *testnet.Process
	resolvConf string
	config     dnsConfig
}

func newNode(t *testing.T, resolv string) *node {
	t.Helper()
	testnet.Require(t)
	testcluster.Shared.Open(t)
	lan := testnet.New(t)
	n := &node{Host: lan.Host(t, "192.168.1.11/24"), net: lan, resolvConf: filepath.Join(t.TempDir(), "resolv.conf")}
	n.write(t, resolv)
	n.config = dnsConfig{testcluster.Shared.Access, n.resolvConf}
	n.process = n.Start(t, "dns", n.config)
	return n
}

func (n *node) write(t *testing.T, resolv string) {
	t.Helper()
	next := n.resolvConf + ".next"
	if err := os.WriteFile(next, []byte(resolv), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(next, n.resolvConf); err != nil {
		t.Fatal(err)
	}
}

// ask asks from the machine itself.
func (n *node) ask(network, name string, qtype uint16) (string, []string, error) {
	return ask(n.Namespace, network, name, qtype)
}

// ask returns the code and the answers' data, sorted, such as "A 10.96.0.1".
func ask(from *testnet.Namespace, network, name string, qtype uint16) (string, []string, error) {
	c, err := from.Dial(network, net.JoinHostPort(Address.String(), "53"))
	if err != nil {
		return "", nil, err
	}
	defer c.Close()
	client := &miekg.Client{Net: network, Timeout: 3 * time.Second}
	m, _, err := client.ExchangeWithConn(new(miekg.Msg).SetQuestion(miekg.Fqdn(name), qtype), &miekg.Conn{Conn: c})
	if err != nil {
		return "", nil, err
	}
	var data []string
	for _, rr := range m.Answer {
		h := rr.Header()
		data = append(data, miekg.TypeToString[h.Rrtype]+" "+strings.TrimPrefix(rr.String(), h.String()))
	}
	slices.Sort(data)
	return miekg.RcodeToString[m.Rcode], data, nil
}

// want waits until the answer is this one.
func (n *node) want(t *testing.T, name string, qtype uint16, code string, data ...string) {
	t.Helper()
	for _, network := range []string{"udp", "tcp"} {
		eventually.OK(t, name+" by "+network, func() error {
			gotCode, got, err := n.ask(network, name, qtype)
			if err == nil && (gotCode != code || !slices.Equal(got, data)) {
				err = fmt.Errorf("%s %q, want %s %q", gotCode, got, code, data)
			}
			return err
		})
	}
}

func TestNamesOfTheCluster(t *testing.T) {
	n := newNode(t, "")
	client := testcluster.Shared.Client
	ctx := t.Context()

	n.want(t, "kubernetes.default.svc.cluster.local", miekg.TypeA, "NOERROR", "A 10.96.0.1")
	n.want(t, "1.0.96.10.in-addr.arpa", miekg.TypePTR, "NOERROR", "PTR kubernetes.default.svc.cluster.local.")
	n.want(t, "_https._tcp.kubernetes.default.svc.cluster.local", miekg.TypeSRV, "NOERROR", "SRV 0 100 443 kubernetes.default.svc.cluster.local.")
	n.want(t, "kubernetes.default.svc.cluster.local", miekg.TypeAAAA, "NOERROR")
	n.want(t, "nobody.default.svc.cluster.local", miekg.TypeA, "NXDOMAIN")
	n.want(t, "10-244-1-5.default.pod.cluster.local", miekg.TypeA, "NOERROR", "A 10.244.1.5")

	create(t, &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "headless"}, Spec: corev1.ServiceSpec{
		ClusterIP: corev1.ClusterIPNone, Ports: []corev1.ServicePort{{Name: "web", Port: 80, TargetPort: intstr.FromInt(8080)}},
	}})
	create(t, &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "elsewhere"}, Spec: corev1.ServiceSpec{
		Type: corev1.ServiceTypeExternalName, ExternalName: "kubernetes.default.svc.cluster.local",
	}})
	slices4 := slice(t, "headless-4", discoveryv1.AddressTypeIPv4, endpoint("10.244.1.7", "pod-0"), endpoint("10.244.2.8", "pod-1"))
	slice(t, "headless-6", discoveryv1.AddressTypeIPv6, endpoint("fd00::7", "pod-0"))
	n.want(t, "headless.default.svc.cluster.local", miekg.TypeA, "NOERROR", "A 10.244.1.7", "A 10.244.2.8")
	n.want(t, "headless.default.svc.cluster.local", miekg.TypeAAAA, "NOERROR", "AAAA fd00::7")
	n.want(t, "pod-1.headless.default.svc.cluster.local", miekg.TypeA, "NOERROR", "A 10.244.2.8")
	n.want(t, "8.2.244.10.in-addr.arpa", miekg.TypePTR, "NOERROR", "PTR pod-1.headless.default.svc.cluster.local.")
	n.want(t, "_web._tcp.headless.default.svc.cluster.local", miekg.TypeSRV, "NOERROR",
		"SRV 0 33 80 pod-0.headless.default.svc.cluster.local.", "SRV 0 33 80 pod-1.headless.default.svc.cluster.local.")
	n.want(t, "elsewhere.default.svc.cluster.local", miekg.TypeA, "NOERROR", "A 10.96.0.1", "CNAME kubernetes.default.svc.cluster.local.")

	// A change is seen as soon as it is known: nothing of the cluster's is cached.
	slices4.Endpoints = []discoveryv1.Endpoint{endpoint("10.244.3.9", "pod-2")}
	if _, err := client.DiscoveryV1().EndpointSlices("default").Update(ctx, slices4, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	n.want(t, "headless.default.svc.cluster.local", miekg.TypeA, "NOERROR", "A 10.244.3.9")
	n.want(t, "pod-1.headless.default.svc.cluster.local", miekg.TypeA, "NXDOMAIN")
}

func TestNamesOfTheHost(t *testing.T) {
	n := newNode(t, "search example.org\n")
	n.want(t, "example.org", miekg.TypeA, "REFUSED")

	// The host gets a name server, and then another one.
	n.MustExec(t, "ip", "addr", "add", "127.0.0.53/8", "dev", "lo")
	serve(t, n.ListenPacket(t, "127.0.0.53:53"), n.Listen(t, "127.0.0.53:53"), "192.0.2.1")
	n.write(t, "nameserver 127.0.0.53\n")
	n.want(t, "example.org", miekg.TypeA, "NOERROR", "A 192.0.2.1")
	n.want(t, "kubernetes.default.svc.cluster.local", miekg.TypeA, "NOERROR", "A 10.96.0.1")

	serve(t, n.ListenPacket(t, "192.168.1.11:53"), n.Listen(t, "192.168.1.11:53"), "192.0.2.2")
	n.write(t, "nameserver "+Address.String()+"\nnameserver 192.168.1.11\n")
	n.want(t, "example.net", miekg.TypeA, "NOERROR", "A 192.0.2.2")

	// Only itself is left: refused, not asked for ever.
	n.write(t, "nameserver "+Address.String()+"\n")
	n.want(t, "example.com", miekg.TypeA, "REFUSED")
}

// A neighbour's packets get there, and no further.
func TestOthersAreRefused(t *testing.T) {
	n := newNode(t, "")
	other := n.net.Host(t, "192.168.1.99/24")
	other.MustExec(t, "ip", "route", "add", Address.String(), "via", n.IP())
	code, data, err := ask(other.Namespace, "udp", "kubernetes.default.svc.cluster.local", miekg.TypeA)
	if err != nil || code != "REFUSED" || len(data) > 0 {
		t.Errorf("another machine is told %s %q, %v", code, data, err)
	}
	// An address of a pod of this node.
	other.MustExec(t, "ip", "addr", "add", "10.244.1.9/32", "dev", "lo")
	other.MustExec(t, "ip", "route", "replace", Address.String(), "via", n.IP(), "src", "10.244.1.9")
	n.MustExec(t, "ip", "route", "add", "10.244.1.9", "via", other.IP())
	if code, _, err := ask(other.Namespace, "udp", "kubernetes.default.svc.cluster.local", miekg.TypeA); err != nil || code != "NOERROR" {
		t.Errorf("a pod is told %s, %v", code, err)
	}
}

// While the tab is away, what was known is answered; a server that starts then says so.
func TestWithoutTheAPIServer(t *testing.T) {
	n := newNode(t, "")
	testcluster.Shared.Open(t)() // shut
	n.want(t, "kubernetes.default.svc.cluster.local", miekg.TypeA, "NOERROR", "A 10.96.0.1")

	n.process.Kill()
	n.process = n.Launch(t, "dns", n.config)
	n.want(t, "kubernetes.default.svc.cluster.local", miekg.TypeA, "SERVFAIL")
	testcluster.Shared.Open(t)
	n.process.WaitFor(t, "ready")
	n.want(t, "kubernetes.default.svc.cluster.local", miekg.TypeA, "NOERROR", "A 10.96.0.1")
}

func TestNothingIsLeft(t *testing.T) {
	n := newNode(t, "")
	inventory := func() (left []string) {
		n.Do(func() {
			var err error
			if left, err = localaddr.Inventory(); err != nil {
				t.Error(err)
			}
		})
		return left
	}
	if out := n.MustExec(t, "ip", "-br", "addr", "show", "dev", localaddr.Name); !strings.Contains(out, Address.String()) {
		t.Errorf("the address is not there: %s", out)
	}
	if err := n.process.Stop(); err != nil {
		t.Errorf("the end: %v", err)
	}
	if _, _, err := n.ask("tcp", "kubernetes.default.svc.cluster.local", miekg.TypeA); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("after the end: %v", err)
	}
	if left := inventory(); !slices.Equal(left, []string{"interface tab-local"}) {
		t.Errorf("left: %q", left)
	}
	n.Do(func() {
		if err := localaddr.Remove(); err != nil {
			t.Error(err)
		}
	})
	if left := inventory(); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

func create(t *testing.T, s *corev1.Service) {
	t.Helper()
	services := testcluster.Shared.Client.CoreV1().Services("default")
	if _, err := services.Create(t.Context(), s, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = services.Delete(context.Background(), s.Name, metav1.DeleteOptions{}) })
}

func endpoint(addr, hostname string) discoveryv1.Endpoint {
	return discoveryv1.Endpoint{Addresses: []string{addr}, Hostname: &hostname}
}

func slice(t *testing.T, name string, kind discoveryv1.AddressType, endpoints ...discoveryv1.Endpoint) *discoveryv1.EndpointSlice {
	t.Helper()
	port, portName := int32(80), "web"
	s, err := testcluster.Shared.Client.DiscoveryV1().EndpointSlices("default").Create(t.Context(), &discoveryv1.EndpointSlice{
		ObjectMeta:  metav1.ObjectMeta{Name: name, Labels: map[string]string{discoveryv1.LabelServiceName: "headless"}},
		AddressType: kind,
		Endpoints:   endpoints,
		Ports:       []discoveryv1.EndpointPort{{Name: &portName, Port: &port}},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = testcluster.Shared.Client.DiscoveryV1().EndpointSlices("default").Delete(context.Background(), name, metav1.DeleteOptions{})
	})
	return s
}

// serve is a name server of the world outside: every name has the one address.
func serve(t *testing.T, udp net.PacketConn, tcp net.Listener, addr string) {
	t.Helper()
	handler := miekg.HandlerFunc(func(w miekg.ResponseWriter, r *miekg.Msg) {
		m := new(miekg.Msg).SetReply(r)
		rr, _ := miekg.NewRR(r.Question[0].Name + " 30 IN A " + addr)
		m.Answer = append(m.Answer, rr)
		_ = w.WriteMsg(m)
	})
	for _, s := range []*miekg.Server{{PacketConn: udp, Handler: handler}, {Listener: tcp, Handler: handler}} {
		go func() { _ = s.ActivateAndServe() }()
		t.Cleanup(func() { _ = s.Shutdown() })
	}
}
