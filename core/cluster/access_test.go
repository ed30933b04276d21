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

// given gives somebody access and returns its client.
func given(t *testing.T, owner *rest.Config, user string) kubernetes.Interface {
	t.Helper()
	asker, err := access.NewAsker(user)
	if err != nil {
		t.Fatal(err)
	}
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
		t.Errorf("%s: it is good for %s, want %s", user, left, access.Validity)
	}
	config := rest.AnonymousClientConfig(owner)
	config.CertData, config.KeyData = cert, key
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// Access that was given ends by itself, and at once when the owner deletes its binding: one alone, or all
// by their label. The others stay, and so does the owner.
func TestAccessIsTakenBack(t *testing.T) {
	owner := running.AdminConfig()
	ada, bob := given(t, owner, "ada"), given(t, owner, "bob@example.org")
	client, err := kubernetes.NewForConfig(owner)
	if err != nil {
		t.Fatal(err)
	}
	bindings := client.RbacV1().ClusterRoleBindings()
	list, err := bindings.List(t.Context(), metav1.ListOptions{LabelSelector: access.Label})
	if err != nil || len(list.Items) != 2 {
		t.Errorf("%d have access, want 2: %v", len(list.Items), err)
	}
	secrets := func(c kubernetes.Interface) error {
		_, err := c.CoreV1().Secrets("").List(t.Context(), metav1.ListOptions{Limit: 1})
		return err
	}
	// The authorizer sees bindings by its informer.
	becomes := func(what string, who kubernetes.Interface, want func(error) bool) {
		t.Helper()
		var last error
		if err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, 30*time.Second, true, func(context.Context) (bool, error) {
			last = secrets(who)
			return want(last), nil
		}); err != nil {
			t.Errorf("%s: %v", what, last)
		}
	}
	may := func(err error) bool { return err == nil }
	becomes("with access", ada, may)
	becomes("with access", bob, may)
	if err := bindings.Delete(t.Context(), access.Binding("ada"), metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	becomes("without the binding", ada, apierrors.IsForbidden)
	if err := secrets(bob); err != nil {
		t.Errorf("whose access was not taken back: %v", err)
	}
	if err := bindings.DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: access.Label}); err != nil {
		t.Fatal(err)
	}
	becomes("after all was taken back", bob, apierrors.IsForbidden)
	if err := secrets(client); err != nil {
		t.Errorf("the owner: %v", err)
	}
}
