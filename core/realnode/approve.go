package realnode

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/kubernetes"
	certificateslisters "k8s.io/client-go/listers/certificates/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/apis/certificates"
)

const nodeUser = "system:node:"

// approver approves requests for the certificates of real nodes: the first one of a machine that joins
// (joining.go) and those that kubelets serve with (serving.go). A request that something speaks against
// stays as it is: that may change, and the owner may decide (kubectl certificate approve).
type approver struct {
	client   kubernetes.Interface
	nodes    corelisters.NodeLister
	requests certificateslisters.CertificateSigningRequestLister
	own      []netip.Prefix          // the cluster's own addresses
	has      func(netip.Addr) string // the node that an address leads to, or ""
	later    chan struct{}           // one, if open requests are to be looked at

	told map[types.UID]string // what was last said to speak against an open request

	mu    sync.Mutex
	freed sets.Set[string] // names of Nodes that have gone
}

// nodeChanged has every open request looked at again; it does not block.
func (a *approver) nodeChanged() {
	select {
	case a.later <- struct{}{}:
	default: // it is going to be looked at
	}
}

// again is when a request is looked at that could not be.
const again = time.Second

func (a *approver) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-a.later:
		}
		open, err := a.requests.List(labels.Everything())
		if err == nil {
			err = a.free(ctx)
		}
		said := map[types.UID]string{}
		for _, r := range open {
			if len(r.Status.Conditions) > 0 || len(r.Status.Certificate) > 0 {
				continue
			}
			left := a.look(ctx, r)
			if !errors.Is(left, errLeft) {
				err = errors.Join(err, left)
				continue
			}
			if said[r.UID] = left.Error(); said[r.UID] != a.told[r.UID] {
				klog.InfoS("A request for a node's certificate is not approved", "request", r.Name, "user", r.Spec.Username, "reason", left)
			}
		}
		a.told = said
		if err != nil && ctx.Err() == nil {
			klog.ErrorS(err, "Requests for nodes' certificates are looked at again", "after", again)
			time.AfterFunc(again, a.nodeChanged)
		}
	}
}

// errLeft is what speaks against a request, for good or until something changes.
var errLeft = errors.New("it is left to the owner")

// look approves an open request; errLeft says what speaks against it, another error that it could not be
// decided.
func (a *approver) look(ctx context.Context, r *certificatesv1.CertificateSigningRequest) error {
	var judge func(context.Context, *certificatesv1.CertificateSigningRequest, *x509.CertificateRequest) (reason string, err error)
	switch {
	case r.Spec.SignerName == certificatesv1.KubeletServingSignerName:
		judge = a.serving
	case r.Spec.SignerName == certificatesv1.KubeAPIServerClientKubeletSignerName && joins(r):
		judge = a.joining
	default:
		return nil
	}
	csr, err := certificates.ParseCSR(r.Spec.Request)
	if err != nil {
		return fmt.Errorf("%w: %w", errLeft, err)
	}
	reason, err := judge(ctx, r, csr)
	if err != nil {
		return fmt.Errorf("judge %s: %w", r.Name, err)
	}
	return a.approve(ctx, r, reason)
}

func (a *approver) approve(ctx context.Context, r *certificatesv1.CertificateSigningRequest, reason string) error {
	r = r.DeepCopy()
	r.Status.Conditions = append(r.Status.Conditions, certificatesv1.CertificateSigningRequestCondition{
		Type: certificatesv1.CertificateApproved, Status: corev1.ConditionTrue,
		Reason: "AutoApproved", Message: reason, LastUpdateTime: metav1.Now(),
	})
	_, err := a.client.CertificatesV1().CertificateSigningRequests().UpdateApproval(ctx, r.Name, r, metav1.UpdateOptions{})
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return nil // somebody else was first
	}
	if err != nil {
		return fmt.Errorf("approve %s: %w", r.Name, err)
	}
	return nil
}

// usages are a request's, as upstream's checks want them.
func usages(r *certificatesv1.CertificateSigningRequest) sets.String { //nolint:staticcheck // the type that upstream's checks take
	all := sets.NewString()
	for _, u := range r.Spec.Usages {
		all.Insert(string(u))
	}
	return all
}
