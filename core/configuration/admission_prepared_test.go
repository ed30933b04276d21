package configuration_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	core "github.com/tabernetes/tabernetes/core/kubectl"
)

// prepareAdmission makes what the rows are about: namespaces, limits, policies, webhooks.
func prepareAdmission(t *testing.T, hook *httptest.Server) {
	t.Helper()
	apply := func(manifest string) {
		t.Helper()
		kubectl(t, "kubectl apply -f - <<'E'\n"+manifest+"\nE")
	}
	for name, meta := range map[string]string{
		"doors":        "annotations: {scheduler.alpha.kubernetes.io/node-selector: zone=a, scheduler.alpha.kubernetes.io/defaultTolerations: '[{\"key\": \"door\", \"operator\": \"Exists\"}]'}",
		"doors-limits": "", "doors-quota": "", "doors-vap": "", "doors-map": "", "doors-hook": "",
		"doors-gone-closed": "", "doors-gone-open": "", "doors-late-closed": "", "doors-late-open": "", "doors-late-mutates": "",
		"doors-secure": "labels: {pod-security.kubernetes.io/enforce: baseline, pod-security.kubernetes.io/audit: restricted}",
	} {
		apply("apiVersion: v1\nkind: Namespace\nmetadata:\n  name: " + name + "\n  " + meta)
	}
	apply(`{"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "l", "namespace": "doors-limits"}, "spec": {"limits": [{"type": "Container", "default": {"cpu": "100m"}}]}}`)
	apply(`{"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "none", "namespace": "doors-quota"}, "spec": {"hard": {"pods": "0"}, "scopes": ["BestEffort"]}}`)
	apply(`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "longest", "namespace": "default"}, "data": {"n": "4"}}`)
	t.Cleanup(func() {
		var out bytes.Buffer
		term.Session("test").Run(context.Background(), "kubectl delete validatingadmissionpolicy,validatingadmissionpolicybinding,mutatingadmissionpolicy,mutatingadmissionpolicybinding --all", core.Streams{Stdout: &out, Stderr: &out})
	})
	const in = `"matchConstraints": {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": %q}}, "resourceRules": [{"apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"], "operations": ["CREATE"]}]}`
	apply(`{"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy", "metadata": {"name": "short"}, "spec": {"paramKind": {"apiVersion": "v1", "kind": "ConfigMap"}, ` +
		fmt.Sprintf(in, "doors-vap") + `, "validations": [{"expression": "!has(object.data) || !(\"k\" in object.data) || object.data.k.size() <= int(params.data.n)", "message": "not longer than four"}], "auditAnnotations": [{"key": "of", "valueExpression": "has(object.data) && \"k\" in object.data ? string(object.data.k) : \"\""}]}}`)
	apply(`{"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicyBinding", "metadata": {"name": "short"}, "spec": {"policyName": "short", "paramRef": {"name": "longest", "namespace": "default", "parameterNotFoundAction": "Deny"}, "validationActions": ["Deny", "Audit"]}}`)
	apply(`{"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingAdmissionPolicy", "metadata": {"name": "adds"}, "spec": {"reinvocationPolicy": "Never", ` +
		fmt.Sprintf(in, "doors-map") + `, "mutations": [{"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": "Object{metadata: Object.metadata{labels: {\"added\": \"bypolicy\"}}}"}}]}}`)
	apply(`{"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingAdmissionPolicyBinding", "metadata": {"name": "adds"}, "spec": {"policyName": "adds"}}`)

	apply(`{"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingAdmissionPolicy", "metadata": {"name": "tells"}, "spec": {"reinvocationPolicy": "Never", "paramKind": {"apiVersion": "v1", "kind": "ConfigMap"}, ` +
		fmt.Sprintf(in, "doors-map") + `, "mutations": [{"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": "Object{metadata: Object.metadata{labels: {\"longest\": params.data.n}}}"}}]}}`)
	apply(`{"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingAdmissionPolicyBinding", "metadata": {"name": "tells"}, "spec": {"policyName": "tells", "paramRef": {"name": "longest", "namespace": "default", "parameterNotFoundAction": "Deny"}}}`)

	none, fail, ignore := admissionregistrationv1.SideEffectClassNone, admissionregistrationv1.Fail, admissionregistrationv1.Ignore
	rules := []admissionregistrationv1.RuleWithOperations{{
		Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create},
		Rule:       admissionregistrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"configmaps"}},
	}}
	within := func(ns string) *metav1.LabelSelector {
		return &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: ns}}
	}
	there := within("doors-hook")
	asked := func(url string) admissionregistrationv1.WebhookClientConfig {
		return admissionregistrationv1.WebhookClientConfig{URL: &url, CABundle: []byte(caPEM(hook))}
	}
	at := func(path string) admissionregistrationv1.WebhookClientConfig { return asked(hook.URL + path) }
	gone, late, second := httptest.NewServer(nil), hangs(t), int32(1)
	gone.Close()
	// Each has a namespace, as its failure would be everybody's.
	fails := func(name, url string, policy *admissionregistrationv1.FailurePolicyType) admissionregistrationv1.ValidatingWebhook {
		return admissionregistrationv1.ValidatingWebhook{
			Name: name + ".doors.example", ClientConfig: asked(url), Rules: rules, NamespaceSelector: within("doors-" + name),
			SideEffects: &none, FailurePolicy: policy, TimeoutSeconds: &second, AdmissionReviewVersions: []string{"v1"},
		}
	}
	api := admin(t).AdmissionregistrationV1()
	_, err := api.ValidatingWebhookConfigurations().Create(t.Context(), &admissionregistrationv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "doors"}, Webhooks: []admissionregistrationv1.ValidatingWebhook{{
		Name: "v.doors.example", ClientConfig: at("/validate"), Rules: rules, NamespaceSelector: there, SideEffects: &none, FailurePolicy: &fail, AdmissionReviewVersions: []string{"v1"},
	},
		fails("gone-closed", "https://"+gone.Listener.Addr().String(), &fail), fails("gone-open", "https://"+gone.Listener.Addr().String(), &ignore),
		fails("late-closed", late, &fail), fails("late-open", late, &ignore),
	}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = api.ValidatingWebhookConfigurations().Delete(context.Background(), "doors", metav1.DeleteOptions{})
	})
	_, err = api.MutatingWebhookConfigurations().Create(t.Context(), &admissionregistrationv1.MutatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "doors"}, Webhooks: []admissionregistrationv1.MutatingWebhook{{
		Name: "m.doors.example", ClientConfig: at("/mutate"), Rules: rules, NamespaceSelector: there, SideEffects: &none, FailurePolicy: &fail, AdmissionReviewVersions: []string{"v1"},
	}, {
		Name: "late-mutates.doors.example", ClientConfig: asked(late), Rules: rules, NamespaceSelector: within("doors-late-mutates"),
		SideEffects: &none, FailurePolicy: &ignore, TimeoutSeconds: &second, AdmissionReviewVersions: []string{"v1"},
	}}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = api.MutatingWebhookConfigurations().Delete(context.Background(), "doors", metav1.DeleteOptions{})
	})
}

// reviewAdmission is an admission webhook, and an image policy webhook at any other path.
func reviewAdmission(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if r.URL.Path != "/validate" && r.URL.Path != "/mutate" {
		var review map[string]any
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		review["status"] = map[string]any{"allowed": !strings.Contains(fmt.Sprint(review["spec"]), "evil"), "reason": "no evil", "auditAnnotations": map[string]any{"looked": "at evil"}}
		_ = json.NewEncoder(w).Encode(review)
		return
	}
	var review admissionv1.AdmissionReview
	if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: true, AuditAnnotations: map[string]string{"looked": "at " + review.Request.Name}}
	if r.URL.Path == "/mutate" {
		patch := admissionv1.PatchTypeJSONPatch
		review.Response.PatchType, review.Response.Patch = &patch, []byte(`[{"op": "add", "path": "/metadata/labels", "value": {"added": "byhook"}}]`)
	} else if strings.Contains(string(review.Request.Object.Raw), "refuse") {
		review.Response.Allowed, review.Response.Result = false, &metav1.Status{Message: "the hook refuses"}
	}
	_ = json.NewEncoder(w).Encode(review)
}
