package configuration_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/keyutil"

	"github.com/tabernetes/tabernetes/core/apiserver/apitrace"
	"github.com/tabernetes/tabernetes/core/configuration"
	"github.com/tabernetes/tabernetes/core/pki"
	"github.com/tabernetes/tabernetes/core/trace"
	"github.com/tabernetes/tabernetes/scripts/eventually"
)

// auditAll records who asked for what, and what was decided.
const auditAll = "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n"

// TestAuthentication: each row is a credential, and whom the server takes it for with it switched on and off. The
// audit event says the same.
func TestAuthentication(t *testing.T) {
	oidc, stranger := newIssuer(t), newIssuer(t)
	hook := httptest.NewTLSServer(http.HandlerFunc(reviewTokens))
	defer hook.Close()
	telling := listen(t)
	configure(t, configuration.Files{configuration.Audit: []byte(auditAll)})

	// What nobody knows is no credential: who comes with it is anonymous, and forbidden, or unauthorized where nobody is
	// anonymous.
	const unauthorized, forbidden = "Unauthorized", "Forbidden"
	type row struct {
		credential credential
		open, shut string
	}
	rows := map[string]row{
		"static token":                     {bearer("s3cret"), "reader readers,system:authenticated", unauthorized},
		"static token, another":            {bearer("gu3ss"), unauthorized, unauthorized},
		"password":                         {password("old", "pass,word"), "old retired,first,system:authenticated", forbidden},
		"password, wrong":                  {password("old", "word"), unauthorized, forbidden},
		"password of nobody":               {password("nobody", ""), unauthorized, forbidden},
		"webhook":                          {bearer("hook-ann"), "ann hooked,system:authenticated", unauthorized},
		"webhook, refused":                 {bearer("hook-"), unauthorized, unauthorized},
		"OIDC":                             {bearer(oidc.token(t, map[string]any{"name": "eve", "teams": []string{"a", "b"}})), "oidc:eve oidc:a,oidc:b,system:authenticated", unauthorized},
		"OIDC, other audience":             {bearer(oidc.token(t, map[string]any{"name": "eve", "aud": "other"})), unauthorized, unauthorized},
		"OIDC, expired":                    {bearer(oidc.token(t, map[string]any{"name": "eve", "exp": 1})), unauthorized, unauthorized},
		"OIDC, not valid yet":              {bearer(oidc.token(t, map[string]any{"name": "eve", "nbf": time.Now().Add(time.Hour).Unix()})), unauthorized, unauthorized},
		"OIDC, a claim by CEL":             {bearer(oidc.token(t, map[string]any{"name": "eve", "kind": "robot"})), unauthorized, unauthorized},
		"OIDC, a user by CEL":              {bearer(oidc.token(t, map[string]any{"name": "system:admin"})), unauthorized, unauthorized},
		"OIDC, no name":                    {bearer(oidc.token(t, nil)), unauthorized, unauthorized},
		"OIDC, another's key":              {bearer(stranger.token(t, map[string]any{"iss": oidc.URL, "name": "eve"})), unauthorized, unauthorized},
		"OIDC, another issuer":             {bearer(stranger.token(t, map[string]any{"name": "eve"})), unauthorized, unauthorized},
		"no credential, anonymous refused": {credential{}, unauthorized, forbidden},
	}
	always := func(c credential, want string) row { return row{c, want, want} }
	ca := clusterCA(t)
	another, err := pki.NewAuthority("another")
	if err != nil {
		t.Fatal(err)
	}
	rows["x509, by the CSR API"] = always(credential{cert: byCSR(t, "dora", "dev")}, "dora dev,system:authenticated")
	rows["x509, expired"] = always(credential{cert: goodFrom(t, ca, -48*time.Hour)}, unauthorized)
	rows["x509, not valid yet"] = always(credential{cert: goodFrom(t, ca, 24*time.Hour)}, unauthorized)
	rows["x509 of another CA"] = row{credential{cert: pair(another.Client("dora"))}, unauthorized, forbidden}
	rows["bootstrap token"] = always(bearer(bootstrapToken(t, "abcdef", time.Hour)), "system:bootstrap:abcdef system:bootstrappers,system:authenticated")
	rows["bootstrap token, expired"] = always(bearer(bootstrapToken(t, "fedcba", -time.Hour)), unauthorized)
	rows["service account, projected"] = always(bearer(requested(t, &authenticationv1.TokenRequestSpec{})), "system:serviceaccount:default:default system:serviceaccounts,system:serviceaccounts:default,system:authenticated")
	rows["service account, other audience"] = always(bearer(requested(t, &authenticationv1.TokenRequestSpec{Audiences: []string{"vault"}})), unauthorized)
	rows["service account, bound to a pod that is gone"] = always(bearer(boundToAGonePod(t)), unauthorized)
	rows["service account, legacy"] = always(bearer(legacyToken(t)), "system:serviceaccount:default:default system:serviceaccounts,system:serviceaccounts:default,system:authenticated")
	front := frontProxy(t)
	as := http.Header{"X-Remote-User": {"proxied"}, "X-Remote-Group": {"behind"}}
	rows["request header"] = always(credential{as, front}, "proxied behind,system:authenticated")
	rows["request header, of no front proxy"] = always(credential{as, rows["x509, by the CSR API"].credential.cert}, "dora dev,system:authenticated")
	admin := pair(ca.Client("root", "system:masters"))
	rows["impersonation"] = always(credential{http.Header{"Impersonate-User": {"jane"}, "Impersonate-Group": {"g"}}, admin}, "jane g,system:authenticated")
	rows["impersonation, not allowed"] = always(credential{http.Header{"Impersonate-User": {"jane"}}, rows["x509, by the CSR API"].credential.cert}, "Forbidden")

	curt := byCSR(t, "curt", "limited")
	mayBecome(t, "curt")
	rows["impersonation, constrained"] = always(credential{http.Header{"Impersonate-User": {"jane"}}, curt}, "jane system:authenticated")
	rows["impersonation, constrained to another"] = always(credential{http.Header{"Impersonate-User": {"joe"}}, curt}, forbidden)
	rows["impersonation, constrained to no group"] = always(credential{http.Header{"Impersonate-User": {"jane"}, "Impersonate-Group": {"g"}}, curt}, forbidden)
	rows["impersonation, constrained, of a node"] = always(credential{http.Header{"Impersonate-User": {"system:node:node-1"}}, curt}, "system:node:node-1 system:nodes,system:authenticated")
	// Who may do anything passes by the constrained one, which upstream asks first.
	constraints := map[string]string{"impersonation": "impersonate:user-info", "impersonation, constrained": "impersonate:user-info", "impersonation, constrained, of a node": "impersonate:arbitrary-node"}

	for name := range decides {
		if _, ok := rows[name]; !ok {
			t.Errorf("there is no row %q", name)
		}
	}
	for _, open := range []bool{true, false} {
		state, files := "shut", configuration.Files{configuration.Audit: []byte(auditAll)}
		if open {
			state = "open"
			files[configuration.Tokens] = []byte("s3cret,reader,7,readers\n")
			files[configuration.BasicAuth] = []byte("\"pass,word\",old,8,\"retired,first\"\n")
			files[configuration.AuthenticationWebhook] = kubeconfigOf(hook)
			files[configuration.Authentication] = authenticationConfiguration(oidc)
		}
		configure(t, files)
		if open { // it reads its issuers' keys in the background
			eventually.True(t, "OIDC", func() bool {
				got, _ := who(t, rows["OIDC"].credential)
				return got == rows["OIDC"].open
			})
			authenticatorsHaveSentences(t)
		}
		for name, r := range rows {
			t.Run(state+"/"+name, func(t *testing.T) {
				want := r.shut
				if open {
					want = r.open
				}
				got, a := who(t, r.credential)
				if got != want {
					t.Errorf("taken for %s, want %s\n%s", got, want, a.body)
				}
				if open && decides[name] != "" {
					if who := decided(t, a); len(who) == 0 || !strings.HasPrefix(who[len(who)-1], decides[name]) {
						t.Errorf("the trace has %q, want %q", who, decides[name])
					}
				}
				e := audited(t, a)
				if int(e.ResponseStatus.Code) != a.status {
					t.Errorf("audited as %d, answered %d", e.ResponseStatus.Code, a.status)
				}
				if user, _, ok := strings.Cut(want, " "); ok && strings.HasPrefix(name, "impersonation") {
					by, constraint := "root", ""
					if r.credential.cert == curt {
						by = "curt"
					}
					if m := e.AuthenticationMetadata; m != nil {
						constraint = m.ImpersonationConstraint
					}
					if e.ImpersonatedUser == nil || e.ImpersonatedUser.Username != user || e.User.Username != by || constraint != constraints[name] {
						t.Errorf("audited as %+v for %+v, by %q", e.User, e.ImpersonatedUser, constraint)
					}
				} else if ok && e.User.Username != user {
					t.Errorf("audited as %s", e.User.Username)
				}
			})
		}
		// Jane's rights count only for what curt may do as her.
		if a := ask(t, rows["impersonation, constrained"].credential, http.MethodGet, "/api/v1/nodes", nil); a.status != http.StatusForbidden || !strings.Contains(string(a.body), "impersonate-on:user-info:list") {
			t.Errorf("%d %s", a.status, a.body)
		}
		livez := ask(t, credential{}, http.MethodGet, "/livez", nil)
		version := ask(t, credential{}, http.MethodGet, "/version", nil)
		if livez.status != http.StatusOK || (version.status == http.StatusOK) == open {
			t.Errorf("anonymous, %s: /livez %d, /version %d", state, livez.status, version.status)
		}
	}
	telling.holdNone(t, "s3cret", "pass,word", hooksToken)
	for name, r := range rows {
		if _, presented, ok := strings.Cut(r.credential.header.Get("Authorization"), " "); ok && presented != "hook-" {
			telling.toldNone(t, name, presented)
		}
	}
}

// decides has who decides when it is switched on, and why it refuses, as the trace tells.
var decides = map[string]string{
	"static token":          "token file: accepted",
	"static token, another": "bearer token: refused, nobody knows the token",
	"password":              "password (retired upstream): accepted",
	"password, wrong":       "password (retired upstream): refused, user name or password is wrong",
	"webhook":               "token webhook: accepted",
	"webhook, refused":      "bearer token: refused, nobody knows the token",
	"OIDC":                  "OIDC: accepted",
	"OIDC, other audience":  "OIDC: refused, the token is for another audience",
	"OIDC, expired":         "OIDC: refused, the token has expired",
	"OIDC, not valid yet":   "OIDC: refused, the token is not valid yet",
	"OIDC, a claim by CEL":  "OIDC: refused, the claims break a rule of the configuration",
	"OIDC, a user by CEL":   "OIDC: refused, the user breaks a rule of the configuration",
	"OIDC, no name":         "OIDC: refused, its claims come to no user name",
	"OIDC, another's key":   "OIDC: refused, no key of the issuer's has signed the token",
	"OIDC, another issuer":  "bearer token: refused, nobody knows the token",
	"x509, by the CSR API":  "client certificate: accepted",
	"x509, expired":         "client certificate: refused, a certificate has expired, or is not valid yet",
	"x509, not valid yet":   "client certificate: refused, a certificate has expired, or is not valid yet",
	"bootstrap token":       "bootstrap token: accepted",
	// Upstream says of none why a bootstrap token is not good.
	"bootstrap token, expired":                     "bearer token: refused, nobody knows the token",
	"service account, projected":                   "service account: accepted",
	"service account, other audience":              "service account: refused, the token is for another audience",
	"service account, bound to a pod that is gone": "service account: refused, what the token is bound to is gone",
	"service account, legacy":                      "service account, legacy: accepted",
	"request header":                               "front proxy's headers: accepted",
	"request header, of no front proxy":            "client certificate: accepted",
}

// decided are the authenticators that did not pass an answer's request on, each with what it said, in order.
func decided(t *testing.T, a answer) (who []string) {
	t.Helper()
	eventually.True(t, "the trace's steps of "+a.auditID, func() bool {
		steps, _ := bus.All()
		var request trace.ID
		asked := map[trace.ID]*apitrace.Authenticated{}
		for i := range steps {
			switch d := steps[i].Details.(type) {
			case *apitrace.Authenticated:
				asked[steps[i].Cause] = d
			case *apitrace.Served:
				if d.AuditID == a.auditID {
					request = steps[i].ID
				}
			}
		}
		if request == 0 || asked[request] == nil {
			return false
		}
		for _, one := range asked[request].Asked {
			if one.Answer != "not mine" {
				who = append(who, strings.TrimSuffix(one.Name+": "+one.Answer+", "+one.Reason, ", "))
			}
		}
		return true
	})
	return who
}

// authenticatorsHaveSentences holds that the page says of each authenticator what it does, when all of them are there.
func authenticatorsHaveSentences(t *testing.T) {
	t.Helper()
	var sentences map[string]map[string]string
	table(t, "access-controls.yaml", &sentences)
	steps, _ := bus.All()
	for _, d := range apitrace.AccessControlsIn(steps).Authenticators {
		if sentences["authenticators"][d.Name] == "" {
			t.Errorf("nothing is said of %s", d.Name)
		}
		delete(sentences["authenticators"], d.Name)
	}
	if len(sentences["authenticators"]) > 0 {
		t.Errorf("there is no %v", sentences["authenticators"])
	}
}

// mayBecome lets somebody be jane, and any node, for asking who they are and for nothing else: ConstrainedImpersonation,
// on by default since 1.36.
func mayBecome(t *testing.T, user string) {
	t.Helper()
	const group = "authentication.k8s.io"
	rules := []rbacv1.PolicyRule{
		{APIGroups: []string{group}, Resources: []string{"users"}, ResourceNames: []string{"jane"}, Verbs: []string{"impersonate:user-info"}},
		{APIGroups: []string{group}, Resources: []string{"nodes"}, Verbs: []string{"impersonate:arbitrary-node"}},
		{APIGroups: []string{group}, Resources: []string{"selfsubjectreviews"}, Verbs: []string{"impersonate-on:user-info:create", "impersonate-on:arbitrary-node:create"}},
	}
	rbac, name := admin(t).RbacV1(), "becomes-"+user
	_, err := rbac.ClusterRoles().Create(t.Context(), &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: rules}, metav1.CreateOptions{})
	if err == nil {
		_, err = rbac.ClusterRoleBindings().Create(t.Context(), &rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: name}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
			Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: user}},
		}, metav1.CreateOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
	for resource, verb := range map[string]string{"users": "impersonate:user-info", "nodes": "impersonate:arbitrary-node"} {
		eventually.True(t, "the server knows it", func() bool { // its informers do, a moment later
			ctx := t.Context()
			r, err := admin(t).AuthorizationV1().SubjectAccessReviews().Create(ctx, &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
				User: user, ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: verb, Group: group, Version: "v1", Resource: resource, Name: "jane"},
			}}, metav1.CreateOptions{})
			return err == nil && r.Status.Allowed
		})
	}
}

// reviewTokens is an authentication webhook: "hook-NAME" is NAME's.
func reviewTokens(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer "+hooksToken {
		http.Error(w, "not the server", http.StatusUnauthorized)
		return
	}
	var review authenticationv1.TokenReview
	if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	name, ok := strings.CutPrefix(review.Spec.Token, "hook-")
	review.Status = authenticationv1.TokenReviewStatus{Authenticated: ok && name != ""}
	if review.Status.Authenticated {
		review.Status.User = authenticationv1.UserInfo{Username: name, Groups: []string{"hooked"}}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(review)
}

func pair(p pki.Pair, err error) *pki.Pair {
	if err != nil {
		panic(err)
	}
	return &p
}

func clusterCA(t *testing.T) *pki.Authority {
	t.Helper()
	dir := t.TempDir() // who opens the cluster's own makes another serving certificate, which the server takes at once
	if err := os.CopyFS(dir, os.DirFS(dataDir+"/pki")); err != nil {
		t.Fatal(err)
	}
	c, _, err := pki.Open(dir, pki.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c.CA
}

func frontProxy(t *testing.T) *pki.Pair {
	t.Helper()
	var p pki.Pair
	var err error
	if p.Cert, err = os.ReadFile(dataDir + "/pki/front-proxy-client.crt"); err == nil {
		p.Key, err = os.ReadFile(dataDir + "/pki/front-proxy-client.key")
	}
	return pair(p, err)
}

// goodFrom is a client certificate of the cluster's own CA that is good for a day, beginning so long from now: what a
// clock that has jumped makes of one that is good.
func goodFrom(t *testing.T, ca *pki.Authority, begins time.Duration) *pki.Pair {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "dora", Organization: []string{"system:masters"}},
		NotBefore: time.Now().Add(begins), NotAfter: time.Now().Add(begins + 24*time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}, ca.Cert, key.Public(), ca.Key)
	if err != nil {
		t.Fatal(err)
	}
	keyPEM, err := keyutil.MarshalPrivateKeyToPEM(key)
	return pair(pki.Pair{Cert: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), Key: keyPEM}, err)
}

// byCSR asks for a client certificate as anybody does, and approves it.
func byCSR(t *testing.T, user, group string) *pki.Pair {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: pkix.Name{CommonName: user, Organization: []string{group}}}, key)
	if err != nil {
		t.Fatal(err)
	}
	requests := admin(t).CertificatesV1().CertificateSigningRequests()
	csr, err := requests.Create(t.Context(), &certificatesv1.CertificateSigningRequest{
		ObjectMeta: metav1.ObjectMeta{GenerateName: user + "-"},
		Spec: certificatesv1.CertificateSigningRequestSpec{
			Request:    pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}),
			SignerName: certificatesv1.KubeAPIServerClientSignerName, Usages: []certificatesv1.KeyUsage{certificatesv1.UsageClientAuth},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	kubectl(t, "kubectl certificate approve "+csr.Name)
	eventually.True(t, "the certificate", func() bool {
		ctx := t.Context()
		csr, err = requests.Get(ctx, csr.Name, metav1.GetOptions{})
		return err == nil && len(csr.Status.Certificate) > 0
	})
	keyPEM, err := keyutil.MarshalPrivateKeyToPEM(key)
	return pair(pki.Pair{Cert: csr.Status.Certificate, Key: keyPEM}, err)
}

// bootstrapToken makes one that ends so long from now.
func bootstrapToken(t *testing.T, id string, ends time.Duration) string {
	t.Helper()
	const secret = "0123456789abcdef"
	secrets := admin(t).CoreV1().Secrets("kube-system")
	name := "bootstrap-token-" + id
	if _, err := secrets.Create(t.Context(), &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: name}, Type: "bootstrap.kubernetes.io/token",
		StringData: map[string]string{
			"token-id": id, "token-secret": secret, "usage-bootstrap-authentication": "true",
			"expiration": time.Now().Add(ends).UTC().Format(time.RFC3339),
		},
	}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = secrets.Delete(context.Background(), name, metav1.DeleteOptions{}) })
	return id + "." + secret
}

// requested is a token of the default service account, which is there a moment after its namespace.
func requested(t *testing.T, spec *authenticationv1.TokenRequestSpec) (token string) {
	t.Helper()
	eventually.True(t, "a token", func() bool {
		ctx := t.Context()
		r, err := admin(t).CoreV1().ServiceAccounts("default").CreateToken(ctx, "default", &authenticationv1.TokenRequest{Spec: *spec}, metav1.CreateOptions{})
		if err == nil {
			token = r.Status.Token
		}
		return err == nil
	})
	return token
}

func boundToAGonePod(t *testing.T) string {
	t.Helper()
	pods := admin(t).CoreV1().Pods("default")
	pod, err := pods.Create(t.Context(), &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "bound-"},
		Spec:       corev1.PodSpec{SchedulerName: "nobody", Containers: []corev1.Container{{Name: "c", Image: "pause"}}},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	token := requested(t, &authenticationv1.TokenRequestSpec{BoundObjectRef: &authenticationv1.BoundObjectReference{
		Kind: "Pod", APIVersion: "v1", Name: pod.Name, UID: pod.UID,
	}})
	if got, _ := who(t, bearer(token)); !strings.HasPrefix(got, "system:serviceaccount:default:default ") {
		t.Errorf("while its pod is there it is %s's", got)
	}
	now := int64(0)
	if err := pods.Delete(t.Context(), pod.Name, metav1.DeleteOptions{GracePeriodSeconds: &now}); err != nil {
		t.Fatal(err)
	}
	return token
}

func legacyToken(t *testing.T) (token string) {
	t.Helper()
	secrets := admin(t).CoreV1().Secrets("default")
	made, err := secrets.Create(t.Context(), &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "legacy-", Annotations: map[string]string{corev1.ServiceAccountNameKey: "default"}},
		Type:       corev1.SecretTypeServiceAccountToken,
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = secrets.Delete(context.Background(), made.Name, metav1.DeleteOptions{}) })
	eventually.True(t, "a legacy token", func() bool {
		ctx := t.Context()
		s, err := secrets.Get(ctx, made.Name, metav1.GetOptions{})
		token = string(s.Data[corev1.ServiceAccountTokenKey])
		return err == nil && token != ""
	})
	return token
}

// TestTokenReviewAndDiscovery: what others ask of service accounts' tokens, and the keys that they check them with.
func TestTokenReviewAndDiscovery(t *testing.T) {
	token := requested(t, &authenticationv1.TokenRequestSpec{Audiences: []string{"vault"}})
	for audience, good := range map[string]bool{"vault": true, "other": false} {
		r, err := admin(t).AuthenticationV1().TokenReviews().Create(t.Context(), &authenticationv1.TokenReview{
			Spec: authenticationv1.TokenReviewSpec{Token: token, Audiences: []string{audience}},
		}, metav1.CreateOptions{})
		if err != nil || r.Status.Authenticated != good || good && !slices.Equal(r.Status.Audiences, []string{audience}) {
			t.Errorf("for %s: %+v, %v", audience, r, err)
		}
	}
	own := bearer(requested(t, &authenticationv1.TokenRequestSpec{}))
	var discovery struct {
		Issuer string `json:"issuer"`
		JWKS   string `json:"jwks_uri"`
	}
	a := ask(t, own, http.MethodGet, "/.well-known/openid-configuration", nil)
	if err := json.Unmarshal(a.body, &discovery); err != nil || discovery.Issuer != "https://kubernetes.default.svc.cluster.local" || !strings.HasSuffix(discovery.JWKS, "/openid/v1/jwks") {
		t.Errorf("%d %s, %v", a.status, a.body, err)
	}
	var keys struct {
		Keys []struct{ Kty, Kid, Crv string } `json:"keys"`
	}
	a = ask(t, own, http.MethodGet, "/openid/v1/jwks", nil)
	if err := json.Unmarshal(a.body, &keys); err != nil || len(keys.Keys) != 1 || keys.Keys[0].Crv != "P-256" {
		t.Errorf("%d %s, %v", a.status, a.body, err)
	}
}
