package access

import (
	"context"
	"fmt"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/certificate/csr"
)

// Validity is how long a granted certificate is good for. It cannot be revoked, as no client certificate
// of Kubernetes can: what can be taken away is the binding that gives its user's name its rights.
const Validity = 90 * 24 * time.Hour

// grantPatience is how long the cluster's signer may take.
const grantPatience = time.Minute

// Grant signs the question's request in the cluster that owner administers. The caller has
// asked the owner before.
func Grant(ctx context.Context, owner *rest.Config, q Question) (Answer, error) {
	if err := q.Check(); err != nil {
		return Answer{}, err
	}
	client, err := kubernetes.NewForConfig(owner)
	if err != nil {
		return Answer{}, fmt.Errorf("grant access: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, grantPatience)
	defer cancel()
	if err := bind(ctx, client, q.User); err != nil {
		return Answer{}, err
	}
	cert, err := sign(ctx, client, q)
	if err != nil {
		return Answer{}, fmt.Errorf("grant access to %s: %w", q.User, err)
	}
	return Answer{Certificate: string(cert)}, nil
}

// Label is on each binding that Grant has made: they are the list of who has been given access.
const Label = "access.tabernetes.internal/given"

// Binding is the name of the ClusterRoleBinding that gives a user the rights of Group's members. Whoever
// deletes it takes them away from all certificates of that name, and from no other.
func Binding(user string) string { return "access:" + user }

// bind gives the user's name what kubeadm init gives Group. Group itself is bound by nobody here: its
// binding would give every certificate the same rights, and taking one back would take all.
func bind(ctx context.Context, client kubernetes.Interface, user string) error {
	_, err := client.RbacV1().ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: Binding(user), Labels: map[string]string{Label: ""}},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}},
	}, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("give %s its rights: %w", user, err)
	}
	return nil
}

func sign(ctx context.Context, client kubernetes.Interface, q Question) ([]byte, error) {
	lasts := Validity
	name, uid, err := csr.RequestCertificateWithContext(ctx, client, []byte(q.CSR), "", certificatesv1.KubeAPIServerClientSignerName,
		&lasts, []certificatesv1.KeyUsage{certificatesv1.UsageDigitalSignature, certificatesv1.UsageClientAuth}, nil)
	if err != nil {
		return nil, fmt.Errorf("create the CertificateSigningRequest: %w", err)
	}
	csrs := client.CertificatesV1().CertificateSigningRequests()
	request, err := csrs.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("read the CertificateSigningRequest: %w", err)
	}
	request.Status.Conditions = append(request.Status.Conditions, certificatesv1.CertificateSigningRequestCondition{
		Type: certificatesv1.CertificateApproved, Status: corev1.ConditionTrue,
		Reason: "OwnerAgreed", Message: "The cluster's owner agreed.", LastUpdateTime: metav1.Now(),
	})
	if _, err := csrs.UpdateApproval(ctx, name, request, metav1.UpdateOptions{}); err != nil {
		return nil, fmt.Errorf("approve the CertificateSigningRequest: %w", err)
	}
	cert, err := csr.WaitForCertificate(ctx, client, name, uid)
	if err != nil {
		return nil, fmt.Errorf("wait for the certificate: %w", err)
	}
	return cert, nil
}
