package command

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/tabernetes/tabernetes/core/trace"
)

// TestObjectOfARequest: what kubectl made is told without secrets; what is no object, or long, is not.
func TestObjectOfARequest(t *testing.T) {
	for _, c := range []struct{ method, body, want string }{
		{http.MethodPost, `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"data":{"key":"CANARY"}}`, "v1 Secret s"},
		{http.MethodPut, `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"generateName":"g-"},"spec":{"args":["CANARY"]}}`, "apps/v1 Deployment "},
		{http.MethodPost, `{"kind":"Pod","x":"CANARY"}`, ""},
		{http.MethodPost, `["CANARY"]`, ""},
		{http.MethodPost, "CANARY", ""},
		{http.MethodPost, "", ""},
		{http.MethodPatch, `{"apiVersion":"v1","kind":"Secret"}`, ""},
		{http.MethodPost, `{"apiVersion":"v1","kind":"` + strings.Repeat("CANARY", maxObject) + `"}`, ""},
	} {
		r, err := http.NewRequestWithContext(t.Context(), c.method, "http://x/?fieldValidation=Strict", strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		_, details := brought(r, "kubectl create")
		g, _ := details.(*Generated)
		if (g == nil) != (c.want == "") {
			t.Errorf("%.40s: %+v", c.body, g)
		}
		if g == nil {
			continue
		}
		if got := g.APIVersion + " " + g.Kind + " " + g.Name; got != c.want || g.Validated != "the server, Strict" {
			t.Errorf("%s: %q, %q", c.body, got, g.Validated)
		}
		if text := fmt.Sprintf("%+v", g); strings.Contains(text, "CANARY") {
			t.Error(text)
		}
	}
}

// TestPatchOfARequest: what kubectl wants changed is told without secrets, by the command that made it; what is no
// patch, or long, is not.
func TestPatchOfARequest(t *testing.T) {
	for _, c := range []struct{ path, kind, body, command, want string }{
		{"/apis/apps/v1/namespaces/default/deployments/d", "strategic-merge-patch+json", `{"spec":{"replicas":2,"template":{"spec":{"containers":[{"name":"c","args":["CANARY"]}]}}}}`, "set image", "deployments d kubectl.patch/set image"},
		{"/api/v1/namespaces/default/secrets/s", "merge-patch+json", `{"data":{"key":"CANARY"}}`, "edit", "secrets s kubectl.patch/edit"},
		{"/api/v1/namespaces/default/configmaps/c", "json-patch+json", `[{"op":"add","path":"/data/key","value":"CANARY"}]`, "patch", "configmaps c kubectl.patch/patch"},
		{"/api/v1/nodes/n", "strategic-merge-patch+json", `{"spec":{"unschedulable":true}}`, "drain", "nodes n kubectl.patch/drain"},
		{"/api/v1/namespaces/x", "merge-patch+json", `{"metadata":{"labels":{"a":"b"},"annotations":{"a":"CANARY"}}}`, "label", "namespaces x kubectl.patch/label"},
		{"/apis/apps/v1/namespaces/default/deployments/d/scale", "merge-patch+json", `{"spec":{"replicas":2}}`, "scale", "deployments/scale d kubectl.patch/scale"},
		{"/api/v1/namespaces/default/serviceaccounts/a", "apply-patch+yaml", "automountServiceAccountToken: false\n", "apply", "serviceaccounts a kubectl.patch/apply --server-side"},
		{"/api/v1/namespaces/default/serviceaccounts/a", "merge-patch+json", `{}`, "no such", "serviceaccounts a kubectl.patch"},
		{"/metrics", "merge-patch+json", `{"x":"CANARY"}`, "patch", ""},
		{"/api/v1/nodes", "merge-patch+json", `{"x":"CANARY"}`, "patch", ""},
		{"/api/v1/nodes/n", "merge-patch+json", `{CANARY`, "patch", ""},
		{"/api/v1/nodes/n", "merge-patch+json", `{"x":"` + strings.Repeat("CANARY", maxObject) + `"}`, "patch", ""},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPatch, "http://x"+c.path+"?fieldValidation=Strict", strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/"+c.kind)
		kind, details := brought(r, "kubectl "+c.command)
		if (kind == nil) != (c.want == "") {
			t.Errorf("%s %.40s: %+v", c.path, c.body, details)
		}
		if kind == nil {
			continue
		}
		p := details.(*Patched)
		if got := p.Of + " " + p.Name + " " + kind.Key(); got != c.want || p.Type != c.kind || p.Validated != "the server, Strict" || p.Patch == nil {
			t.Errorf("%s: %q %+v", c.body, got, p)
		}
		if text := fmt.Sprintf("%+v", p); strings.Contains(text, "CANARY") {
			t.Error(text)
		}
	}
}

// TestACommandHasItsSession: two shells that run the same line at the same moment have their own command.
func TestACommandHasItsSession(t *testing.T) {
	bus := trace.New()
	for _, name := range []string{"1", "2"} {
		startTrace(InSession(t.Context(), name), bus).name(&cobra.Command{Use: "kubectl"}, []string{"get", "pods"}, asItIs)
	}
	startTrace(t.Context(), bus).name(&cobra.Command{Use: "kubectl"}, nil, asItIs)
	steps, _ := bus.All()
	for i, want := range []string{"1", "2", ""} {
		if got := steps[i].Details.(*Begun).Session; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func asItIs(line string) string { return line }
