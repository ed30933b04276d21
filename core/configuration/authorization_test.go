package configuration_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tabernetes/tabernetes/core/configuration"
	"github.com/tabernetes/tabernetes/scripts/eventually"
)

// TestAuthorization: each row is a chain of authorizers and a request, and what is decided with which reason. The audit
// event says the same. Upstream reloads the chain for each.
func TestAuthorization(t *testing.T) {
	asked, hanging := 0, hangs(t)
	hook := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		reviewAccess(w, r)
	}))
	defer hook.Close()
	gone := httptest.NewTLSServer(http.NotFoundHandler())
	unreachable := kubeconfigOf(gone)
	gone.Close()
	stale := tlsServer(staleCertificate(t), http.HandlerFunc(reviewAccess))
	defer stale.Close()
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "reads-maps"}, Rules: []rbacv1.PolicyRule{{
		APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"list"},
	}}}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "reads-maps"}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "reads-maps"},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "Group", Name: "readers"}},
	}
	rbac := admin(t).RbacV1()
	if _, err := rbac.ClusterRoles().Create(t.Context(), role, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := rbac.ClusterRoleBindings().Create(t.Context(), binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	// One that is made of others, by upstream's controller.
	kubectl(t, `kubectl create clusterrole gathers --aggregation-rule=gathered=yes
kubectl create clusterrolebinding gathers --clusterrole=gathers --group=readers
kubectl create clusterrole gathered --verb=get --resource=nodes
kubectl label clusterrole gathered gathered=yes`)
	eventually.True(t, "the role has the rules of the other", func() bool {
		ctx := t.Context()
		r, err := rbac.ClusterRoles().Get(ctx, "gathers", metav1.GetOptions{})
		return err == nil && len(r.Rules) == 1
	})

	webhook := func(kubeconfig, policy, condition string) string {
		timeout := "3s"
		if kubeconfig == "hangs" {
			timeout = "1s"
		}
		return `
- type: Webhook
  name: hook
  webhook:
    timeout: ` + timeout + `
    authorizedTTL: 1s
    unauthorizedTTL: 1s
    subjectAccessReviewVersion: v1
    matchConditionSubjectAccessReviewVersion: v1
    failurePolicy: ` + policy + `
    connectionInfo: {type: KubeConfigFile, kubeConfigFile: $(CONFIG_DIR)/` + kubeconfig + `}
    matchConditions: [{expression: "` + condition + `"}]
`
	}
	always := "request.user != 'nobody'"
	const maps, secrets = "/api/v1/namespaces/default/configmaps", "/api/v1/namespaces/default/secrets"
	const nodes = "/api/v1/nodes/node-1"
	for _, c := range []struct {
		name           string
		chain          string // types by comma, or a webhook
		user, path     string
		allowed        bool
		reason, absent string
	}{
		{"AlwaysAllow", "AlwaysAllow", "reader", secrets, true, "", ""},
		{"AlwaysDeny", "AlwaysDeny", "reader", maps, false, "Everything is forbidden", ""},
		{"AlwaysDeny does not bind system:masters", "AlwaysDeny", "boss", secrets, true, "", ""},
		{"RBAC", "RBAC", "reader", maps, true, `RBAC: allowed by ClusterRoleBinding "reads-maps" of ClusterRole "reads-maps" to Group "readers"`, ""},
		{"RBAC, an aggregated role", "RBAC", "reader", nodes, true, `RBAC: allowed by ClusterRoleBinding "gathers" of ClusterRole "gathers" to Group "readers"`, ""},
		{"RBAC, what no role has", "RBAC", "reader", secrets, false, "", ""},
		{"ABAC", "ABAC", "reader", secrets, true, "", ""},
		{"ABAC, what no policy has", "ABAC", "node", secrets, false, "No policy matched.", ""},
		{"Node, itself", "Node", "node", nodes, true, "", ""},
		{"Node, another", "Node", "node", "/api/v1/nodes/node-2", false, "node 'node-1' cannot read 'node-2'", ""},
		{"Node, no node", "Node", "reader", nodes, false, "", ""},
		{"AlwaysDeny has no opinion, so that RBAC is asked", "AlwaysDeny,RBAC", "reader", maps, true, "RBAC: allowed", ""},
		{"RBAC before a deny ends it", "RBAC,AlwaysDeny", "reader", maps, true, "RBAC: allowed", ""},
		{"one without an opinion leaves it to the next", "Node,RBAC,ABAC", "reader", secrets, true, "", ""},
		{"webhook allows", webhook("hook", "Deny", always), "reader", maps, true, "the hook likes lists of configmaps", ""},
		{"webhook denies", webhook("hook", "Deny", always), "reader", secrets, false, "the hook keeps secrets", ""},
		{"a deny ends the chain", webhook("hook", "Deny", always) + "- {type: ABAC, name: abac}\n", "reader", secrets, false, "the hook keeps secrets", "policy"},
		{"webhook has no opinion, and no other is asked", webhook("hook", "Deny", always), "reader", nodes, false, "", ""},
		{"webhook, whose condition does not match", webhook("hook", "Deny", "request.user == 'somebody'") + "- {type: RBAC, name: rbac}\n", "reader", maps, true, "RBAC: allowed", "the hook"},
		{"webhook is unreachable, which denies", webhook("gone", "Deny", always) + "- {type: RBAC, name: rbac}\n", "reader", maps, false, "", "RBAC"},
		{"webhook is unreachable, which is no opinion", webhook("gone", "NoOpinion", always) + "- {type: RBAC, name: rbac}\n", "reader", maps, true, "RBAC: allowed", ""},
		{"webhook hangs, which denies", webhook("hangs", "Deny", always) + "- {type: RBAC, name: rbac}\n", "reader", maps, false, "", "RBAC"},
		{"webhook hangs, which is no opinion", webhook("hangs", "NoOpinion", always) + "- {type: RBAC, name: rbac}\n", "reader", maps, true, "RBAC: allowed", ""},
		{"webhook's authority has expired, which denies", webhook("stale", "Deny", always) + "- {type: RBAC, name: rbac}\n", "reader", maps, false, "", "RBAC"},
	} {
		t.Run(c.name, func(t *testing.T) {
			chain := []byte("apiVersion: apiserver.config.k8s.io/v1\nkind: AuthorizationConfiguration\nauthorizers:" + c.chain)
			if !strings.Contains(c.chain, "\n") {
				chain = authorizers(strings.Split(c.chain, ",")...)
			}
			before := asked
			configure(t, configuration.Files{
				configuration.Audit:  []byte(auditAll),
				configuration.Tokens: []byte("r,reader,1,readers\nn,system:node:node-1,2,system:nodes\nb,boss,3,system:masters\n"),
				configuration.ABAC:   []byte(`{"apiVersion": "abac.authorization.kubernetes.io/v1beta1", "kind": "Policy", "spec": {"user": "reader", "namespace": "*", "resource": "*", "apiGroup": "*", "readonly": true}}` + "\n"),
				"hook":               kubeconfigOf(hook), "gone": unreachable, "stale": kubeconfigOf(stale), "hangs": kubeconfigTo(hanging, caPEM(hook)),
				configuration.Authorization: chain,
			})
			token := map[string]string{"reader": "r", "node": "n", "boss": "b"}[c.user]
			a := ask(t, bearer(token), http.MethodGet, c.path, nil)
			if got := a.status == http.StatusOK || a.status == http.StatusNotFound; got != c.allowed {
				t.Errorf("%d %s", a.status, a.body)
			}
			e := audited(t, a)
			decision, reason := e.Annotations["authorization.k8s.io/decision"], e.Annotations["authorization.k8s.io/reason"]
			if (decision == "allow") != c.allowed || !strings.Contains(reason, c.reason) || c.absent != "" && strings.Contains(reason, c.absent) {
				t.Errorf("audited as %s, because %q", decision, reason)
			}
			if strings.Contains(c.reason, "the hook") && asked == before {
				t.Error("the webhook was not asked")
			}
			if !c.allowed && c.reason != "" && !strings.Contains(string(a.body), c.reason) {
				t.Errorf("the answer does not say why: %s", a.body)
			}
			// kubectl's own sentence has it, too; -v=8 has it in the body that was answered, before that.
			if !c.allowed && c.reason != "" {
				printed := said(t.Context(), "kubectl config set-credentials refused --token="+token+"; kubectl --user=refused get --raw "+c.path+" -v=8; kubectl config delete-user refused")
				body, sentence, refused := strings.Cut(printed, "Error from server (Forbidden): ")
				if _, body, _ = strings.Cut(body, "Response Body"); !refused || !strings.Contains(body, c.reason) || !strings.Contains(sentence, c.reason) {
					t.Errorf("kubectl -v=8 does not say why: %s", printed)
				}
			}
		})
	}
}

// reviewAccess is an authorization webhook with an opinion of two resources.
func reviewAccess(w http.ResponseWriter, r *http.Request) {
	var review authorizationv1.SubjectAccessReview
	if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if a := review.Spec.ResourceAttributes; a != nil {
		switch a.Resource {
		case "configmaps":
			review.Status = authorizationv1.SubjectAccessReviewStatus{Allowed: true, Reason: "the hook likes lists of configmaps"}
		case "secrets":
			review.Status = authorizationv1.SubjectAccessReviewStatus{Denied: true, Reason: "the hook keeps secrets"}
		}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(review)
}

// TestEscalation: RBAC gives nobody what the giver has not, unless by escalate and bind.
func TestEscalation(t *testing.T) {
	rbac := admin(t).RbacV1()
	giver := func(name string, verbs ...string) {
		t.Helper()
		_, err := rbac.ClusterRoles().Create(t.Context(), &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: []rbacv1.PolicyRule{{
			APIGroups: []string{rbacv1.GroupName}, Resources: []string{"clusterroles", "clusterrolebindings"}, Verbs: append(verbs, "create"),
		}}}, metav1.CreateOptions{})
		if err == nil {
			_, err = rbac.ClusterRoleBindings().Create(t.Context(), &rbacv1.ClusterRoleBinding{
				ObjectMeta: metav1.ObjectMeta{Name: name}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
				Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: name}},
			}, metav1.CreateOptions{})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	giver("plain")
	giver("escalates", "escalate", "bind")
	configure(t, configuration.Files{configuration.Tokens: []byte("p,plain,1\ne,escalates,2\n")})
	for token, allowed := range map[string]bool{"p": false, "e": true} {
		mine := withToken(t, token).RbacV1()
		_, role := mine.ClusterRoles().Create(t.Context(), &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "more-" + token}, Rules: []rbacv1.PolicyRule{{
			APIGroups: []string{""}, Resources: []string{"secrets"}, Verbs: []string{"get"},
		}}}, metav1.CreateOptions{})
		_, binding := mine.ClusterRoleBindings().Create(t.Context(), &rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: "more-" + token}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
			Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: "me"}},
		}, metav1.CreateOptions{})
		for what, err := range map[string]error{"role": role, "binding": binding} {
			if (err == nil) != allowed || err != nil && !apierrors.IsForbidden(err) {
				t.Errorf("%s by %s: %v", what, token, err)
			}
		}
	}
}
