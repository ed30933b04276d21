package realnode

import (
	"fmt"
	"net"
	"testing"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/tabernetes/tabernetes/scripts/eventually"
)

// asking has nodes ask for serving certificates.
type asking struct {
	t      *testing.T
	client *fake.Clientset
}

// ask is a request of a node's for one address.
func (a asking) ask(node, address string) *certificatesv1.CertificateSigningRequest {
	a.t.Helper()
	r := servingRequest(a.t, nodeUser+node, nodeUser+node, []string{node}, net.ParseIP(address))
	if _, err := a.client.CertificatesV1().CertificateSigningRequests().Create(a.t.Context(), r, metav1.CreateOptions{}); err != nil {
		a.t.Fatal(err)
	}
	return r
}

func (a asking) has(r *certificatesv1.CertificateSigningRequest) bool {
	got, err := a.client.CertificatesV1().CertificateSigningRequests().Get(a.t.Context(), r.Name, metav1.GetOptions{})
	return err == nil && approved(got)
}

func (a asking) wantApproved(what string, r *certificatesv1.CertificateSigningRequest) {
	a.t.Helper()
	eventually.True(a.t, what, func() bool { return a.has(r) })
}

// lookedAtAll waits until every request was looked at that there is: they are in one round, and the next one
// begins when that is over.
func (a asking) lookedAtAll(node, address string) {
	a.t.Helper()
	for range 2 {
		a.wantApproved("another request", a.ask(node, address))
	}
}

// claim writes further addresses on a Node, and waits until they are heard of.
func (a asking) claim(n *corev1.Node, own string, others ...string) {
	a.t.Helper()
	for _, address := range append(others, own) {
		n.Status.Addresses = append(n.Status.Addresses, corev1.NodeAddress{Type: corev1.NodeInternalIP, Address: address})
	}
	if _, err := a.client.CoreV1().Nodes().UpdateStatus(a.t.Context(), n, metav1.UpdateOptions{}); err != nil {
		a.t.Fatal(err)
	}
	a.wantApproved("an address that is nobody's", a.ask(n.Name, own))
}

// A node that writes another one's address gets no certificate for it, and keeps the other from none: neither
// one that was there before, nor one that comes later.
func TestALiarStopsNobodysCertificate(t *testing.T) {
	older := made(realNode("liar", "l", "10.244.7.0/24"), 0)
	victim := made(realNode("victim", "v", "10.244.8.0/24", "192.0.2.7"), 1)
	later := made(realNode("another", "a", "10.244.9.0/24"), 2)
	client := fake.NewClientset(older, victim)
	a := asking{t, client}
	running(t, client)
	a.wantApproved("the victim's first request", a.ask("victim", "192.0.2.7"))
	if _, err := client.CoreV1().Nodes().Create(t.Context(), later, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	a.claim(older, "192.0.2.66", "192.0.2.7")
	a.claim(later, "192.0.2.67", "::ffff:192.0.2.7")
	refused := []*certificatesv1.CertificateSigningRequest{a.ask("liar", "192.0.2.7"), a.ask("another", "192.0.2.7")}
	a.wantApproved("the victim's renewal", a.ask("victim", "192.0.2.7"))
	a.lookedAtAll("another", "192.0.2.67")
	for _, r := range refused {
		if a.has(r) {
			t.Errorf("%s has a certificate for the victim's address", r.Spec.Username)
		}
	}
	// An address that its machine has given up is the next one's.
	victim.Status.Addresses = victim.Status.Addresses[:1]
	if _, err := client.CoreV1().Nodes().UpdateStatus(t.Context(), victim, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	a.wantApproved("a request for an address that was given up", refused[0])
}

// Where nobody knows who was first, as when a control plane starts again, or a machine has no route yet, the
// older Node has an address, whichever is heard of first.
func TestTheOlderHasAnAddress(t *testing.T) {
	client := fake.NewClientset()
	a := asking{t, client}
	var names [][2]string
	for i := range 8 {
		route := []string{fmt.Sprint("r", i), ""}[i%2]
		pair := [2]string{fmt.Sprint("a-", i), fmt.Sprint("b-", i)} // the older one
		if i%4 < 2 {
			pair[0], pair[1] = pair[1], pair[0]
		}
		names = append(names, pair)
		for age, name := range pair {
			r := route
			if r != "" {
				r += name
			}
			n := made(realNode(name, r, fmt.Sprintf("10.244.%d.0/24", 10+2*i+age), fmt.Sprintf("192.0.2.%d", i+1)), age)
			if err := client.Tracker().Add(n); err != nil {
				t.Fatal(err)
			}
		}
	}
	running(t, client)
	var refused []*certificatesv1.CertificateSigningRequest
	for i, pair := range names {
		refused = append(refused, a.ask(pair[1], fmt.Sprintf("192.0.2.%d", i+1)))
	}
	for i, pair := range names {
		a.wantApproved("the older's request", a.ask(pair[0], fmt.Sprintf("192.0.2.%d", i+1)))
	}
	a.lookedAtAll(names[0][0], "192.0.2.1")
	for _, r := range refused {
		if a.has(r) {
			t.Errorf("%s has a certificate for an older Node's address", r.Spec.Username)
		}
	}
}
