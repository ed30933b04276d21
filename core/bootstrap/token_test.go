package bootstrap

import (
	"regexp"
	"strings"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/component-helpers/auth/rbac/validation"

	bootstrapapi "k8s.io/cluster-bootstrap/token/api"
	bootstraptokenv1 "k8s.io/kubernetes/cmd/kubeadm/app/apis/bootstraptoken/v1"

	"github.com/tabernetes/tabernetes/core/pki"
)

func TestATokenIsKubeadms(t *testing.T) {
	token, err := newToken("abcdef.0123456789abcdef", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	s := bootstraptokenv1.BootstrapTokenToSecret(token)
	if s.Name != "bootstrap-token-abcdef" || s.Namespace != metav1.NamespaceSystem || s.Type != bootstrapapi.SecretTypeBootstrapToken {
		t.Errorf("secret %s/%s of type %s", s.Namespace, s.Name, s.Type)
	}
	for key, want := range map[string]string{
		bootstrapapi.BootstrapTokenUsageAuthentication: "true",
		bootstrapapi.BootstrapTokenUsageSigningKey:     "true",
		bootstrapapi.BootstrapTokenExtraGroupsKey:      "system:bootstrappers:kubeadm:default-node-token",
	} {
		if got := string(s.Data[key]); got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
	expires, err := time.Parse(time.RFC3339, string(s.Data[bootstrapapi.BootstrapTokenExpirationKey]))
	if left := time.Until(expires); err != nil || left < 58*time.Minute || left > time.Hour {
		t.Errorf("it expires in %s, %v", left, err)
	}
	if _, err := newToken("abcdef", time.Hour); err == nil {
		t.Error("a token without a secret is taken")
	}
}

func TestTheLineToCopy(t *testing.T) {
	i := Invitation{Token: "abcdef.0123456789abcdef", CAHash: "sha256:00"}
	want := "sudo nodehost join http://192.0.2.1:8080 --cluster tab --token abcdef.0123456789abcdef --ca-cert-hash sha256:00"
	if got := i.Line("http://192.0.2.1:8080/", "", "tab"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	want = "sudo nodehost join https://h:8080 --hub-cert-hash sha256:11 --cluster tab --token abcdef.0123456789abcdef --ca-cert-hash sha256:00"
	if got := i.Line("https://h:8080", "sha256:11", "tab"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	// A hub chooses the name, and the line is run as root.
	want = "sudo nodehost join 'http://h/;a' --cluster '; reboot '\\''$(x)\uFFFD' --token abcdef.0123456789abcdef --ca-cert-hash sha256:00"
	if got := i.Line("http://h/;a", "", "; reboot '$(x)\x1b"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// Later tokens must not take the signatures of earlier ones off cluster-info.
func TestPrepareOnce(t *testing.T) {
	ca, err := pki.NewAuthority("kubernetes")
	if err != nil {
		t.Fatal(err)
	}
	if hash, err := caHash(ca.CertPEM()); err != nil || !regexp.MustCompile(`^sha256:[0-9a-f]{64}$`).MatchString(hash) {
		t.Errorf("hash %q, %v", hash, err)
	}
	client := fake.NewClientset()
	if err := Prepare(t.Context(), client, ca.CertPEM()); err != nil {
		t.Fatal(err)
	}
	writes := func() (n int) {
		for _, a := range client.Actions() {
			if a.GetVerb() != "get" {
				n++
			}
		}
		return n
	}
	before := writes()
	if err := Prepare(t.Context(), client, ca.CertPEM()); err != nil {
		t.Fatal(err)
	}
	if writes() != before {
		t.Errorf("it wrote again: %v", client.Actions()[before:])
	}
	info, err := client.CoreV1().ConfigMaps(metav1.NamespacePublic).Get(t.Context(), bootstrapapi.ConfigMapClusterInfo, metav1.GetOptions{})
	if err != nil || !strings.Contains(info.Data[bootstrapapi.KubeConfigKey], server) {
		t.Errorf("cluster-info: %v, %v", info, err)
	}
}

// A cluster that was published before nodes read Services, or by a version that gave them less, gets
// what is missing; what its owner has added stays.
func TestPrepareAnOlderCluster(t *testing.T) {
	ca, err := pki.NewAuthority("kubernetes")
	if err != nil {
		t.Fatal(err)
	}
	client := fake.NewClientset()
	if err := Prepare(t.Context(), client, ca.CertPEM()); err != nil {
		t.Fatal(err)
	}
	rbac := client.RbacV1()
	for _, binding := range []string{namesRole, "tabernetes:node-proxier"} {
		if err := rbac.ClusterRoleBindings().Delete(t.Context(), binding, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	role, err := rbac.ClusterRoles().Get(t.Context(), namesRole, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := role.Rules
	owners := rbacv1.PolicyRule{Verbs: []string{"get"}, APIGroups: []string{""}, Resources: []string{"pods"}}
	role.Rules = []rbacv1.PolicyRule{want[0], owners}
	if _, err := rbac.ClusterRoles().Update(t.Context(), role, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := Prepare(t.Context(), client, ca.CertPEM()); err != nil {
		t.Fatal(err)
	}
	if role, err = rbac.ClusterRoles().Get(t.Context(), namesRole, metav1.GetOptions{}); err != nil {
		t.Fatal(err)
	}
	if covers, missing := validation.Covers(role.Rules, append(want, owners)); !covers {
		t.Errorf("the role lacks %v", missing)
	}
	for _, name := range []string{namesRole, "tabernetes:node-proxier"} {
		if _, err := rbac.ClusterRoleBindings().Get(t.Context(), name, metav1.GetOptions{}); err != nil {
			t.Error(err)
		}
	}
}
