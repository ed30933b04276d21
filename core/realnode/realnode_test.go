package realnode

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/tabernetes/tabernetes/core/confine"
	"github.com/tabernetes/tabernetes/core/egress"
	"github.com/tabernetes/tabernetes/core/realnode/wellknown"
	"github.com/tabernetes/tabernetes/core/tunnel"
	"github.com/tabernetes/tabernetes/scripts/eventually"
)

const longEnough = 20 * time.Second

func realNode(name, route string, cidr string, addresses ...string) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{
		Name: name, Labels: map[string]string{wellknown.KindLabel: wellknown.Real}, Annotations: map[string]string{wellknown.RouteAnnotation: route},
	}}
	n.Spec.PodCIDRs = []string{cidr}
	n.Status.Addresses = append(n.Status.Addresses, corev1.NodeAddress{Type: corev1.NodeHostName, Address: name})
	for _, a := range addresses {
		n.Status.Addresses = append(n.Status.Addresses, corev1.NodeAddress{Type: corev1.NodeInternalIP, Address: a})
	}
	return n
}

// running has Run serve the nodes of a client until the test ends.
func running(t *testing.T, client kubernetes.Interface) context.Context {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	o := testOptions(func(tunnel.Header) {})
	o.Client = client
	done := make(chan error, 1)
	go func() { done <- New(o).Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return ctx
}

func testOptions(opened func(tunnel.Header)) Options {
	router := egress.NewRouter()
	router.HandlePrefix(netip.MustParsePrefix("0.0.0.0/0"), func(context.Context, string, string) (net.Conn, error) {
		return nil, errors.New("dialled directly")
	})
	return Options{
		Router: router,
		Open: func(h tunnel.Header) (net.Conn, error) {
			opened(h)
			return nil, errors.New("dialled through the tunnel")
		},
		Pods:        netip.MustParsePrefix(confine.PodCIDR),
		PodMaskSize: confine.PodMaskSize,
		Reserved:    []netip.Prefix{netip.MustParsePrefix("172.30.0.0/16"), netip.MustParsePrefix("10.96.0.0/16")},
	}
}

func TestWhereANodesAddressesLead(t *testing.T) {
	var last tunnel.Header
	o := testOptions(func(h tunnel.Header) { last = h })
	r := newRoutes(o)
	dial := func(address string) string {
		last = tunnel.Header{}
		_, _ = o.Router.DialContext(t.Context(), "tcp", address)
		return last.Target
	}
	r.update(realNode("one", "r1", "10.244.7.0/24", "192.0.2.7", "172.30.0.11", "10.244.9.9"))
	r.update(realNode("two", "r2", "10.244.8.0/24", "192.0.2.8", "192.0.2.7"))
	for address, want := range map[string]string{
		"192.0.2.7:10250":   "r1 192.0.2.7:10250", // two claims it later
		"192.0.2.8:10250":   "r2 192.0.2.8:10250",
		"10.244.7.3:80":     "r1 10.244.7.3:80",
		"172.30.0.11:10250": "", // an in-tab node's
		"10.244.9.9:80":     "", // somebody else's pod
		"192.0.2.9:1":       "",
	} {
		if got := dial(address); got != want {
			t.Errorf("%s leads to %q, want %q", address, got, want)
		}
	}
	r.update(realNode("one", "r1b", "10.244.7.0/24", "192.0.2.7"))
	if got := dial("192.0.2.7:10250"); got != "r1b 192.0.2.7:10250" {
		t.Errorf("with another route: %q", got)
	}
	left := realNode("one", "r1b", "10.244.7.0/24", "192.0.2.7")
	left.Annotations[wellknown.LeftAnnotation] = "now"
	r.update(left)
	r.remove("two")
	for _, address := range []string{"192.0.2.7:10250", "192.0.2.8:10250", "10.244.8.1:1"} {
		if got := dial(address); got != "" {
			t.Errorf("after all have gone, %s leads to %q", address, got)
		}
	}
}

func servingRequest(t *testing.T, user, cn string, names []string, ips ...net.IP) *certificatesv1.CertificateSigningRequest {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{
		Subject: pkix.Name{CommonName: cn, Organization: []string{"system:nodes"}}, DNSNames: names, IPAddresses: ips,
	}, key)
	if err != nil {
		t.Fatal(err)
	}
	return &certificatesv1.CertificateSigningRequest{
		ObjectMeta: metav1.ObjectMeta{Name: "csr-" + strings.ToLower(rand.Text())},
		Spec: certificatesv1.CertificateSigningRequestSpec{
			Request:    pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}),
			SignerName: certificatesv1.KubeletServingSignerName, Username: user, Groups: []string{"system:nodes"},
			Usages: []certificatesv1.KeyUsage{certificatesv1.UsageDigitalSignature, certificatesv1.UsageServerAuth},
		},
	}
}

func TestServingCertificates(t *testing.T) {
	ip := net.ParseIP("192.0.2.7")
	good := servingRequest(t, "system:node:one", "system:node:one", []string{"one"}, ip)
	refused := map[string]*certificatesv1.CertificateSigningRequest{
		"for another node":        servingRequest(t, "system:node:one", "system:node:two", []string{"two"}),
		"for a name not its own":  servingRequest(t, "system:node:one", "system:node:one", []string{"kubernetes"}),
		"for an address not its":  servingRequest(t, "system:node:one", "system:node:one", []string{"one"}, net.ParseIP("10.96.0.1")),
		"of somebody unknown":     servingRequest(t, "system:node:ghost", "system:node:ghost", []string{"ghost"}),
		"for nothing in the list": servingRequest(t, "system:node:one", "system:node:one", nil),
	}
	client := fake.NewClientset(realNode("one", "r", "10.244.7.0/24", "192.0.2.7"), realNode("two", "r2", "10.244.8.0/24"))
	ctx := running(t, client)
	csrs := client.CertificatesV1().CertificateSigningRequests()
	for _, r := range refused {
		if _, err := csrs.Create(ctx, r, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := csrs.Create(ctx, good, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually.True(t, "the good request is approved", func() bool {
		got, err := csrs.Get(ctx, good.Name, metav1.GetOptions{})
		return err == nil && len(got.Status.Conditions) == 1
	})
	for name, r := range refused {
		if got, err := csrs.Get(ctx, r.Name, metav1.GetOptions{}); err != nil || len(got.Status.Conditions) > 0 {
			t.Errorf("a request %s: %v, %v", name, got.Status.Conditions, err)
		}
	}
}

func TestAMachineThatHasLeft(t *testing.T) {
	n := realNode("one", "r", "10.244.7.0/24")
	n.Annotations[wellknown.LeftAnnotation] = "now"
	n.UID = "u"
	client := fake.NewClientset(n)
	o := testOptions(func(tunnel.Header) {})
	o.Client = client
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- New(o).Run(ctx) }()
	eventually.True(t, "its Node is gone", func() bool {
		_, err := client.CoreV1().Nodes().Get(ctx, "one", metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	})
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
