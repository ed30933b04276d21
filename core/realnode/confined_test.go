package realnode

import (
	"fmt"
	"net"
	"net/netip"
	"testing"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/tabernetes/tabernetes/core/realnode/wellknown"
	"github.com/tabernetes/tabernetes/core/tunnel"
	"github.com/tabernetes/tabernetes/scripts/eventually"
)

// made sets when the API server made a Node, in seconds after the first.
func made(n *corev1.Node, seconds int) *corev1.Node {
	n.CreationTimestamp = metav1.NewTime(time.Unix(int64(1_000_000+seconds), 0))
	return n
}

// inTabNode is one of the tab's own.
func inTabNode(name, cidr, address string) *corev1.Node {
	n := realNode(name, "", cidr, address)
	delete(n.Labels, wellknown.KindLabel)
	return n
}

// A node that chooses its pod CIDR is not given what is the cluster's, another node's or the machine's
// network: whatever the API server dials goes where it went before.
func TestNoWideCIDRLeadsToANode(t *testing.T) {
	var last tunnel.Header
	o := testOptions(func(h tunnel.Header) { last = h })
	r := newRoutes(o)
	leadsTo := func(address string) string {
		last = tunnel.Header{}
		_, _ = o.Router.DialContext(t.Context(), "tcp", address)
		return last.Target
	}
	r.update(made(inTabNode("node-1", "10.244.0.0/24", "172.30.0.11"), 0))
	r.update(made(realNode("victim", "v", "10.244.7.0/24", "192.0.2.7"), 1))
	targets := []string{"172.30.0.11:10250", "172.30.0.10:6443", "10.96.0.1:443", "10.244.0.5:80", "10.244.200.5:80", "192.168.1.5:443", "127.0.0.1:6443"}
	for i, cidr := range []string{
		"0.0.0.0/0", "128.0.0.0/1", "172.0.0.0/8", "172.30.0.0/24", "10.0.0.0/8", "10.244.0.0/16", "10.244.0.0/24", "10.244.7.0/24",
		"10.244.7.0/25", "10.244.200.0/23", "192.168.1.0/25", "10.96.0.0/24", "127.0.0.0/8",
	} {
		r.update(made(realNode("evil", fmt.Sprint("e", i), cidr, "192.0.2.66"), 2))
		for _, target := range targets {
			if got := leadsTo(target); got != "" {
				t.Errorf("by the pod CIDR %s %s leads to %q", cidr, target, got)
			}
		}
		if got, want := leadsTo("10.244.7.3:80"), "v 10.244.7.3:80"; got != want {
			t.Errorf("by the pod CIDR %s another node's pod leads to %q", cidr, got)
		}
		if got, want := leadsTo("192.0.2.66:10250"), fmt.Sprintf("e%d 192.0.2.66:10250", i); got != want {
			t.Errorf("with the pod CIDR %s its kubelet leads to %q", cidr, got)
		}
	}
	// Nobody else has this one: it counts.
	r.update(made(realNode("evil", "e", "10.244.9.0/24"), 2))
	if got := leadsTo("10.244.9.3:80"); got != "e 10.244.9.3:80" {
		t.Errorf("a pod CIDR that is good leads to %q", got)
	}
}

// Who has an address keeps it, also from an older node; of two that come at once the older has it,
// whichever is heard of first.
func TestNoNodeTakesAnothersAddress(t *testing.T) {
	var last tunnel.Header
	o := testOptions(func(h tunnel.Header) { last = h })
	leadsTo := func(address string) string {
		last = tunnel.Header{}
		_, _ = o.Router.DialContext(t.Context(), "tcp", address)
		return last.Target
	}
	r := newRoutes(o)
	r.update(made(realNode("old", "o", "10.244.7.0/24", "192.0.2.7"), 0))
	r.update(made(realNode("victim", "v", "10.244.8.0/24", "192.0.2.8"), 1))
	r.update(made(realNode("old", "o", "10.244.7.0/24", "192.0.2.7", "192.0.2.8", "::ffff:192.0.2.8"), 0))
	if got := leadsTo("192.0.2.8:10250"); got != "v 192.0.2.8:10250" {
		t.Errorf("after an older node claims it, it leads to %q", got)
	}
	many := realNode("many", "m", "10.244.9.0/24")
	for i := range 200 {
		many.Status.Addresses = append(many.Status.Addresses, corev1.NodeAddress{Type: corev1.NodeInternalIP, Address: fmt.Sprintf("198.51.100.%d", i+1)})
	}
	r.update(made(many, 3))
	if len(r.held) > 3+2+maxAddresses {
		t.Errorf("one node has %d ways", len(r.held))
	}
	r.clear()
	if len(r.held) != 0 || leadsTo("192.0.2.8:10250") != "" {
		t.Errorf("after the end there is %v", r.held)
	}
	for range 2 { // in either order, as a control plane that starts again hears of them
		r := newRoutes(o)
		a, b := made(realNode("a", "a", "10.244.7.0/24", "192.0.2.9"), 1), made(realNode("b", "b", "10.244.7.0/24", "192.0.2.10"), 0)
		r.update(a)
		r.update(b)
		if got := leadsTo("10.244.7.3:80"); got != "b 10.244.7.3:80" {
			t.Errorf("of two with one pod CIDR it leads to %q, not to the older's", got)
		}
		r.clear()
		r.update(b)
		r.update(a)
		if got := leadsTo("10.244.7.3:80"); got != "b 10.244.7.3:80" {
			t.Errorf("of two with one pod CIDR it leads to %q, not to the older's", got)
		}
		r.clear()
	}
}

// A node writes the API server's names and addresses, and another node's, on its own Node: that makes
// none of them its own.
func TestNoNodePassesForTheAPIServer(t *testing.T) {
	liar := made(realNode("liar", "r", "10.244.7.0/24", "192.0.2.66",
		"127.0.0.1", "::1", "10.96.0.1", "172.30.0.10", "10.244.7.1", "0.0.0.0", "169.254.20.10", "192.0.2.7"), 1)
	names := []string{
		"tab.tabernetes.internal", "kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local",
		"localhost", "one", "node-1", "*", "example.com",
	}
	for _, name := range names {
		liar.Status.Addresses = append(liar.Status.Addresses, corev1.NodeAddress{Type: corev1.NodeInternalDNS, Address: name})
	}
	inTab := inTabNode("node-1", "10.244.0.0/24", "172.30.0.11")
	objects := []runtime.Object{liar, inTab, made(realNode("one", "r1", "10.244.8.0/24", "192.0.2.7"), 0)}
	// Machines that joined by such a name before it was refused.
	called := []string{"kubernetes.default.svc", "localhost", "127.0.0.1", "x.tabernetes.internal"}
	for i, name := range called {
		objects = append(objects, realNode(name, fmt.Sprint("c", i), fmt.Sprintf("10.244.%d.0/24", 100+i)))
	}
	client := fake.NewClientset(objects...)
	ctx := running(t, client)
	csrs := client.CertificatesV1().CertificateSigningRequests()
	refused := map[string]*certificatesv1.CertificateSigningRequest{}
	for _, name := range names {
		refused["for "+name] = servingRequest(t, "system:node:liar", "system:node:liar", []string{"liar", name}, net.ParseIP("192.0.2.66"))
	}
	for _, a := range liar.Status.Addresses {
		if ip, err := netip.ParseAddr(a.Address); err == nil && a.Address != "192.0.2.66" {
			refused["for "+a.Address] = servingRequest(t, "system:node:liar", "system:node:liar", []string{"liar"}, ip.AsSlice())
			mapped := net.IP(ip.AsSlice()).To16()
			refused["for "+a.Address+" in 16 bytes"] = servingRequest(t, "system:node:liar", "system:node:liar", []string{"liar"}, mapped)
		}
	}
	for _, name := range called {
		refused["called "+name] = servingRequest(t, "system:node:"+name, "system:node:"+name, []string{name})
	}
	refused["of the tab's own"] = servingRequest(t, "system:node:node-1", "system:node:node-1", []string{"node-1"})
	good := servingRequest(t, "system:node:liar", "system:node:liar", []string{"liar"}, net.ParseIP("192.0.2.66"))
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
		return err == nil && approved(got)
	})
	for what, r := range refused {
		if got, err := csrs.Get(ctx, r.Name, metav1.GetOptions{}); err != nil || len(got.Status.Conditions) > 0 {
			t.Errorf("a request %s: %v, %v", what, got.Status.Conditions, err)
		}
	}
}

// joinRequest is what the kubelet of a machine that joins asks for, with a token.
func joinRequest(t *testing.T, cn string, change ...func(*certificatesv1.CertificateSigningRequest)) *certificatesv1.CertificateSigningRequest {
	t.Helper()
	r := servingRequest(t, "system:bootstrap:abcdef", cn, nil)
	r.Spec.SignerName = certificatesv1.KubeAPIServerClientKubeletSignerName
	r.Spec.Groups = []string{"system:bootstrappers", "system:bootstrappers:kubeadm:default-node-token", "system:authenticated"}
	r.Spec.Usages = []certificatesv1.KeyUsage{certificatesv1.UsageDigitalSignature, certificatesv1.UsageClientAuth}
	for _, c := range change {
		c(r)
	}
	return r
}

// A token is good for one new node and for no name that somebody has: not a machine's, not the tab's own,
// not the API server's, and not one that another machine has got a moment ago.
func TestATokenIsGoodForNoOtherNode(t *testing.T) {
	client := fake.NewClientset(
		made(inTabNode("node-1", "10.244.0.0/24", "172.30.0.11"), 0), made(realNode("victim", "v", "10.244.7.0/24", "192.0.2.7"), 1))
	ctx := running(t, client)
	csrs := client.CertificatesV1().CertificateSigningRequests()
	create := func(r *certificatesv1.CertificateSigningRequest) *certificatesv1.CertificateSigningRequest {
		t.Helper()
		if _, err := csrs.Create(ctx, r, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		return r
	}
	isApproved := func(r *certificatesv1.CertificateSigningRequest) bool {
		got, err := csrs.Get(ctx, r.Name, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return approved(got)
	}
	refused := map[string]*certificatesv1.CertificateSigningRequest{
		"a machine's name":      create(joinRequest(t, "system:node:victim")),
		"an in-tab node's name": create(joinRequest(t, "system:node:node-1")),
		"one to come":           create(joinRequest(t, "system:node:node-4")),
		"the API server's name": create(joinRequest(t, "system:node:kubernetes.default.svc")),
		"an address":            create(joinRequest(t, "system:node:127.0.0.1")),
		"no name":               create(joinRequest(t, "system:node:")),
		"a path":                create(joinRequest(t, "system:node:../x")),
		"no node's":             create(joinRequest(t, "system:kube-controller-manager")),
		"without a token": create(joinRequest(t, "system:node:new-0", func(r *certificatesv1.CertificateSigningRequest) {
			r.Spec.Username, r.Spec.Groups = "system:node:victim", []string{"system:nodes"}
		})),
	}
	first := create(joinRequest(t, "system:node:new"))
	eventually.True(t, "a new name is given", func() bool { return isApproved(first) })
	second := create(joinRequest(t, "system:node:new"))
	last := create(joinRequest(t, "system:node:another"))
	eventually.True(t, "another new name is given", func() bool { return isApproved(last) })
	refused["a name that was just given"] = second
	for what, r := range refused {
		if isApproved(r) {
			t.Errorf("with a token: %s", what)
		}
	}
	// Its Node comes and goes: the name is free, for a machine that joins again.
	nodes := client.CoreV1().Nodes()
	if _, err := nodes.Create(ctx, made(realNode("new", "n", "10.244.8.0/24"), 2), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := nodes.Delete(ctx, "new", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually.True(t, "the name of a Node that has gone is given", func() bool { return isApproved(second) })
}
