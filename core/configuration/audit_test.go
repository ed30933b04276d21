package configuration_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"github.com/tabernetes/tabernetes/core/configuration"
	"github.com/tabernetes/tabernetes/scripts/eventually"
)

// TestAudit: what each level records and at which stages, in the ring and in the file.
func TestAudit(t *testing.T) {
	configure(t, configuration.Files{
		configuration.Tokens: []byte("t0psecret,reader,1,\"system:masters\"\n"),
		configuration.Audit: []byte(`apiVersion: audit.k8s.io/v1
kind: Policy
rules:
- {level: None, users: [reader], resources: [{group: coordination.k8s.io}]}
- {level: Metadata, users: [reader], resources: [{group: "", resources: [secrets]}], omitStages: [RequestReceived]}
- {level: Request, users: [reader], verbs: [update], resources: [{group: "", resources: [configmaps]}]}
- {level: RequestResponse, users: [reader]}
`)})
	const maps = "/api/v1/namespaces/default/configmaps"
	object := func(of, kind string) map[string]any {
		return map[string]any{"apiVersion": "v1", "kind": kind, "metadata": map[string]any{"name": of}, "data": map[string]any{"k": "dmFsdWU="}}
	}
	for _, c := range []struct {
		name, method, path string
		body               map[string]any
		stages             string
		request, response  bool
	}{
		{"None", http.MethodGet, "/apis/coordination.k8s.io/v1/leases", nil, "", false, false},
		{"Metadata", http.MethodPost, "/api/v1/namespaces/default/secrets", object("audited", "Secret"), "ResponseComplete", false, false},
		{"RequestResponse", http.MethodPost, maps, object("audited", "ConfigMap"), "RequestReceived,ResponseComplete", true, true},
		{"Request", http.MethodPut, maps + "/audited", object("audited", "ConfigMap"), "RequestReceived,ResponseComplete", true, false},
		{"a watch", http.MethodGet, maps + "?watch=true&timeoutSeconds=1", nil, "RequestReceived,ResponseStarted,ResponseComplete", false, false},
		{"delete", http.MethodDelete, maps + "/audited", nil, "RequestReceived,ResponseComplete", false, true},
		{"delete it, too", http.MethodDelete, "/api/v1/namespaces/default/secrets/audited", nil, "ResponseComplete", false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var body any
			if c.body != nil {
				body = c.body
			}
			a := ask(t, bearer("t0psecret"), c.method, c.path, body)
			if a.status >= 300 {
				t.Fatalf("%d %s", a.status, a.body)
			}
			if c.stages != "" {
				audited(t, a)
			}
			lines, _, _, _ := running.Audit().Since(0)
			var stages []string
			var last auditv1.Event
			for _, l := range lines {
				var e auditv1.Event
				if err := json.Unmarshal(l, &e); err != nil {
					t.Fatal(err)
				}
				if string(e.AuditID) == a.auditID {
					stages, last = append(stages, string(e.Stage)), e
				}
				if bytes.Contains(l, []byte("t0psecret")) {
					t.Errorf("a token is in the audit: %s", l)
				}
			}
			if got := strings.Join(stages, ","); got != c.stages {
				t.Errorf("stages %s", got)
			}
			if (last.RequestObject != nil) != c.request || (last.ResponseObject != nil) != c.response {
				t.Errorf("request %v, response %v", last.RequestObject != nil, last.ResponseObject != nil)
			}
			eventually.True(t, "the file", func() bool {
				b, err := os.ReadFile(dataDir + "/audit.log")
				return err == nil && bytes.Count(b, []byte(a.auditID)) == len(stages)
			})
		})
	}
}
