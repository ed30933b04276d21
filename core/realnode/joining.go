package realnode

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
	"strings"

	certificatesv1 "k8s.io/api/certificates/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/klog/v2"
	kubeadmconstants "k8s.io/kubernetes/cmd/kubeadm/app/constants"
	"k8s.io/kubernetes/pkg/apis/certificates"

	"github.com/tabernetes/tabernetes/core/confine"
)

// joins says whether a request is of a bearer of a bootstrap token.
func joins(r *certificatesv1.CertificateSigningRequest) bool {
	return slices.Contains(r.Spec.Groups, kubeadmconstants.NodeBootstrapTokenAuthGroup)
}

// joining judges the request of a machine that joins. Kubeadm has upstream's controller approve it for
// whatever name it is, so that a token is good for every node's rights; that a name is taken is for the
// machine to find out. Here a name that a Node has, or that another machine has just been given, or that
// is the cluster's own, is given to nobody.
func (a *approver) joining(ctx context.Context, r *certificatesv1.CertificateSigningRequest, csr *x509.CertificateRequest) (string, error) {
	if err := certificates.ValidateKubeletClientCSR(csr, usages(r)); err != nil {
		return "", fmt.Errorf("%w: %w", errLeft, err)
	}
	name := strings.TrimPrefix(csr.Subject.CommonName, nodeUser)
	if problems := validation.IsDNS1123Subdomain(name); len(problems) > 0 {
		return "", fmt.Errorf("%w: %q cannot be a node's name: %s", errLeft, name, strings.Join(problems, "; "))
	}
	if err := confine.Name(name); err != nil {
		return "", fmt.Errorf("%w: %w", errLeft, err)
	}
	taken := fmt.Errorf("%w: there is a Node %s", errLeft, name)
	if _, err := a.nodes.Get(name); err == nil {
		return "", taken
	}
	given, err := a.given(name)
	if err != nil {
		return "", err
	}
	for _, other := range given {
		if before, err := certificates.ParseCSR(other.Spec.Request); err != nil || !samePublicKey(before, csr) {
			return "", fmt.Errorf("%w: the name %s was given to another machine by %s", errLeft, name, other.Name)
		}
	}
	// Asked, and not the cache: its Node may be a moment old.
	switch _, err := a.client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{}); {
	case err == nil:
		return "", taken
	case !apierrors.IsNotFound(err):
		return "", err
	}
	return "A bootstrap token asks for a name that no node has.", nil
}

func samePublicKey(a, b *x509.CertificateRequest) bool {
	key, ok := a.PublicKey.(interface{ Equal(x any) bool })
	return ok && key.Equal(b.PublicKey)
}

// given are the requests by which machines that joined were given a name. Upstream's cleaner deletes
// them an hour after.
func (a *approver) given(name string) (found []*certificatesv1.CertificateSigningRequest, err error) {
	all, err := a.requests.List(labels.Everything())
	for _, r := range all {
		if r.Spec.SignerName != certificatesv1.KubeAPIServerClientKubeletSignerName || !joins(r) || !approved(r) {
			continue
		}
		if csr, err := certificates.ParseCSR(r.Spec.Request); err == nil && csr.Subject.CommonName == nodeUser+name {
			found = append(found, r)
		}
	}
	return found, err
}

func approved(r *certificatesv1.CertificateSigningRequest) bool {
	return slices.ContainsFunc(r.Status.Conditions, func(c certificatesv1.CertificateSigningRequestCondition) bool {
		return c.Type == certificatesv1.CertificateApproved
	})
}

// nodeGone gives a name back: the machine may join again with it at once.
func (a *approver) nodeGone(name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.freed == nil {
		a.freed = sets.New[string]()
	}
	a.freed.Insert(name)
	a.nodeChanged()
}

// free deletes the requests by which the names of Nodes that have gone were given.
func (a *approver) free(ctx context.Context) error {
	a.mu.Lock()
	names := sets.List(a.freed)
	a.freed = nil
	a.mu.Unlock()
	var errs []error
	for _, name := range names {
		given, err := a.given(name)
		errs = append(errs, err)
		for _, r := range given {
			err := a.client.CertificatesV1().CertificateSigningRequests().Delete(ctx, r.Name, metav1.DeleteOptions{
				Preconditions: metav1.NewUIDPreconditions(string(r.UID)),
			})
			if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
				errs = append(errs, fmt.Errorf("free the name %s: %w", name, err))
				a.nodeGone(name)
			}
		}
		klog.V(2).InfoS("A node's name is free", "node", name, "requests", len(given))
	}
	return errors.Join(errs...)
}
