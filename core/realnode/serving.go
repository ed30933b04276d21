package realnode

import (
	"context"
	"crypto/x509"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/kubernetes/pkg/apis/certificates"

	"github.com/tabernetes/tabernetes/core/confine"
	"github.com/tabernetes/tabernetes/core/realnode/wellknown"
)

// serving judges a kubelet's request for the certificate that it serves with. Kubeadm leaves that to the
// administrator, because nothing proves that a node has the addresses that it asks for. Here it gets its
// own name, and of the addresses on its Node those that neither the cluster nor another Node has. The
// signer is the CA by which everybody knows the API server: a certificate for one of its names or
// addresses would pass for it. So what a node writes on its Node makes nothing its own.
func (a *approver) serving(_ context.Context, r *certificatesv1.CertificateSigningRequest, csr *x509.CertificateRequest) (string, error) {
	if err := certificates.ValidateKubeletServingCSR(csr, usages(r)); err != nil {
		return "", fmt.Errorf("%w: %w", errLeft, err)
	}
	if csr.Subject.CommonName != r.Spec.Username || !slices.Contains(r.Spec.Groups, "system:nodes") {
		return "", fmt.Errorf("%w: %q asks for the certificate of %q", errLeft, r.Spec.Username, csr.Subject.CommonName)
	}
	all, err := a.nodes.List(labels.Everything())
	if err != nil {
		return "", err
	}
	name := strings.TrimPrefix(csr.Subject.CommonName, nodeUser)
	node, err := a.nodes.Get(name)
	switch {
	case apierrors.IsNotFound(err):
		return "", fmt.Errorf("%w: there is no Node %q", errLeft, name)
	case err != nil:
		return "", err
	case node.Labels[wellknown.KindLabel] != wellknown.Real:
		return "", fmt.Errorf("%w: node %s is no machine", errLeft, name)
	}
	if err := a.ownNames(csr, node, all); err != nil {
		return "", fmt.Errorf("%w: %w", errLeft, err)
	}
	return "It is the node's own, for its name and addresses that are no other's.", nil
}

// ownNames says whether every name and address in a request is the Node's and nobody else's.
func (a *approver) ownNames(csr *x509.CertificateRequest, node *corev1.Node, all []*corev1.Node) error {
	for _, name := range csr.DNSNames {
		if name != node.Name {
			return fmt.Errorf("it is for %q, which is not the name of node %s", name, node.Name)
		}
		if err := confine.Name(name); err != nil {
			return err
		}
	}
	for _, ip := range csr.IPAddresses {
		asked, _ := netip.AddrFromSlice(ip)
		asked = asked.Unmap()
		if !slices.Contains(addressesOf(node), asked) {
			return fmt.Errorf("it is for %s, which is not an address of node %s", asked, node.Name)
		}
		if err := confine.Address(asked, a.own); err != nil {
			return err
		}
		if err := a.anothers(asked, node, all); err != nil {
			return err
		}
	}
	return nil
}

// anothers says whose an address is, if it is not the Node's. Who has it keeps it, as its way: if writing
// it were enough to speak against it, any node could keep another one's certificate from being renewed.
// One that leads to nobody yet, as that of a machine whose route is not known, is the older Node's.
func (a *approver) anothers(asked netip.Addr, node *corev1.Node, all []*corev1.Node) error {
	switch has := a.has(asked); has {
	case node.Name:
		return nil
	default:
		return fmt.Errorf("%s is node %s's", asked, has)
	case "":
	}
	for _, other := range all {
		if confine.Older(other, node) < 0 && slices.Contains(addressesOf(other), asked) {
			return fmt.Errorf("%s is node %s's, which is older", asked, other.Name)
		}
	}
	return nil
}
