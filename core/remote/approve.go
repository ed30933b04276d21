package remote

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
	"strings"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/kubernetes"
	certificateslisters "k8s.io/client-go/listers/certificates/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/apis/certificates"
)

const (
	servingSigner = certificatesv1.KubeletServingSignerName
	nodeUser      = "system:node:"
)

// approver approves the kubelets' requests for serving certificates. Kubeadm leaves that to the
// administrator, because nothing proves that a node has the addresses that it asks for; here they
// have to be those on its Node object, which is also where the apiserver reads whom it dials. A
// request that asks for others stays as it is: the addresses may come later, and the owner may
// decide.
type approver struct {
	client   kubernetes.Interface
	nodes    corelisters.NodeLister
	requests certificateslisters.CertificateSigningRequestLister
	later    chan struct{} // one, if open requests are to be looked at
}

// nodeChanged has every open request looked at again; it does not block.
func (a *approver) nodeChanged() {
	select {
	case a.later <- struct{}{}:
	default: // it is going to be looked at
	}
}

func (a *approver) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-a.later:
		}
		open, err := a.requests.List(labels.Everything())
		if err != nil {
			continue
		}
		for _, r := range open {
			if len(r.Status.Conditions) > 0 || len(r.Status.Certificate) > 0 || r.Spec.SignerName != servingSigner {
				continue
			}
			if err := a.judge(r); err != nil {
				klog.V(2).InfoS("A request for a serving certificate is left to the owner", "request", r.Name, "user", r.Spec.Username, "reason", err)
				continue
			}
			if err := a.approve(ctx, r); err != nil {
				klog.ErrorS(err, "A request for a serving certificate could not be approved", "request", r.Name)
			}
		}
	}
}

// judge says what speaks against a request.
func (a *approver) judge(r *certificatesv1.CertificateSigningRequest) error {
	csr, err := certificates.ParseCSR(r.Spec.Request)
	if err != nil {
		return fmt.Errorf("read the request: %w", err)
	}
	usages := sets.New[string]()
	for _, u := range r.Spec.Usages {
		usages.Insert(string(u))
	}
	if err := certificates.ValidateKubeletServingCSR(csr, sets.NewString(usages.UnsortedList()...)); err != nil {
		return err
	}
	if csr.Subject.CommonName != r.Spec.Username || !slices.Contains(r.Spec.Groups, "system:nodes") {
		return fmt.Errorf("%q asks for the certificate of %q", r.Spec.Username, csr.Subject.CommonName)
	}
	node, err := a.nodes.Get(strings.TrimPrefix(csr.Subject.CommonName, nodeUser))
	if err != nil {
		return fmt.Errorf("find the Node: %w", err)
	}
	return ownAddresses(csr, node)
}

// ownAddresses says whether every name and address in the request is one of the Node's.
func ownAddresses(csr *x509.CertificateRequest, node *corev1.Node) error {
	own := sets.New[string]()
	for _, a := range node.Status.Addresses {
		own.Insert(a.Address)
	}
	asked := sets.New(csr.DNSNames...)
	for _, ip := range csr.IPAddresses {
		asked.Insert(ip.String())
	}
	if foreign := asked.Difference(own); foreign.Len() > 0 {
		return fmt.Errorf("it is for %v, which are not addresses of node %s", sets.List(foreign), node.Name)
	}
	return nil
}

func (a *approver) approve(ctx context.Context, r *certificatesv1.CertificateSigningRequest) error {
	r = r.DeepCopy()
	r.Status.Conditions = append(r.Status.Conditions, certificatesv1.CertificateSigningRequestCondition{
		Type: certificatesv1.CertificateApproved, Status: corev1.ConditionTrue,
		Reason: "NodeAddresses", Message: "It is the node's own, for the addresses on its Node object.", LastUpdateTime: metav1.Now(),
	})
	_, err := a.client.CertificatesV1().CertificateSigningRequests().UpdateApproval(ctx, r.Name, r, metav1.UpdateOptions{})
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return nil // somebody else was first
	}
	if err != nil {
		return errors.Join(fmt.Errorf("approve %s", r.Name), err)
	}
	return nil
}
