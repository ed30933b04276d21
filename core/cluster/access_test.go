package cluster_test

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/tabernetes/tabernetes/core/access"
)

// Access that was given ends by itself, and at once when the owner deletes the binding; the owner stays.
func TestAccessIsTakenBack(t *testing.T) {
	asker, err := access.NewAsker("ada")
	if err != nil {
		t.Fatal(err)
	}
	owner := running.AdminConfig()
	if _, _, err := asker.Take(access.Offer{ID: "id", CA: string(owner.CAData), ServerName: "tab.tabernetes.internal", Nonce: make([]byte, 32)}); err != nil {
		t.Fatal(err)
	}
	answer, err := access.Grant(t.Context(), owner, *asker.Request().Question)
	if err != nil {
		t.Fatal(err)
	}
	cert, key, err := asker.Finish(answer)
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode(cert)
	leaf, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	if left := time.Until(leaf.NotAfter); left > access.Validity || left < access.Validity-time.Hour {
		t.Errorf("it is good for %s, want %s", left, access.Validity)
	}
	given := rest.AnonymousClientConfig(owner)
	given.CertData, given.KeyData = cert, key
	ada, err := kubernetes.NewForConfig(given)
	if err != nil {
		t.Fatal(err)
	}
	secrets := func(c kubernetes.Interface) error {
		_, err := c.CoreV1().Secrets("").List(t.Context(), metav1.ListOptions{Limit: 1})
		return err
	}
	// The authorizer sees bindings by its informer.
	becomes := func(what string, want func(error) bool) {
		t.Helper()
		var last error
		if err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, 30*time.Second, true, func(context.Context) (bool, error) {
			last = secrets(ada)
			return want(last), nil
		}); err != nil {
			t.Errorf("%s: %v", what, last)
		}
	}
	becomes("with access", func(err error) bool { return err == nil })
	client, err := kubernetes.NewForConfig(owner)
	if err != nil {
		t.Fatal(err)
	}
	if err := client.RbacV1().ClusterRoleBindings().Delete(t.Context(), access.Group, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	becomes("without the binding", apierrors.IsForbidden)
	if err := secrets(client); err != nil {
		t.Errorf("the owner: %v", err)
	}
}
