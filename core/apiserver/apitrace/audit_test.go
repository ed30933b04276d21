package apitrace

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	auditinternal "k8s.io/apiserver/pkg/apis/audit"
	"k8s.io/apiserver/pkg/audit"
	"k8s.io/apiserver/pkg/audit/policy"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authentication/user"
	genericfilters "k8s.io/apiserver/pkg/endpoints/filters"
	genericapiserver "k8s.io/apiserver/pkg/server"

	"github.com/tabernetes/tabernetes/core/trace"
)

// stages is an audit backend that keeps at which stages it was told.
type stages struct {
	audit.Backend
	of []auditinternal.Stage
}

func (s *stages) ProcessEvents(events ...*auditinternal.Event) bool {
	for _, e := range events {
		s.of = append(s.of, e.Stage)
	}
	return true
}

// askedOf is a server's configuration as far as a request passes it.
func askedOf(rules *auditinternal.Policy) (*genericapiserver.Config, *stages) {
	config, backend := &genericapiserver.Config{RequestInfoResolver: resolver}, &stages{}
	if rules != nil {
		config.AuditBackend, config.AuditPolicyRuleEvaluator = backend, policy.NewPolicyRuleEvaluator(rules)
	}
	config.Authentication.Authenticator = authenticator.RequestFunc(func(*http.Request) (*authenticator.Response, bool, error) {
		return &authenticator.Response{User: &user.DefaultInfo{Name: "alice"}}, true, nil
	})
	config.BuildHandlerChainFunc = func(api http.Handler, c *genericapiserver.Config) http.Handler {
		h := genericfilters.WithAudit(api, c.AuditBackend, c.AuditPolicyRuleEvaluator, nil)
		h = genericfilters.WithAuthentication(h, c.Authentication.Authenticator, http.NotFoundHandler(), nil, nil)
		return genericfilters.WithAuditInit(genericfilters.WithRequestInfo(h, c.RequestInfoResolver))
	}
	return config, backend
}

// TestAuditIsTold: with a policy its decision on the request, by upstream's own filter and evaluator; without
// one that there is none; of reads nothing. Each has the audit ID that the answer has.
func TestAuditIsTold(t *testing.T) {
	rules := &auditinternal.Policy{Rules: []auditinternal.PolicyRule{
		{Level: auditinternal.LevelNone, Verbs: []string{"delete"}},
		{Level: auditinternal.LevelMetadata},
	}}
	for name, c := range map[string]struct {
		method string
		policy *auditinternal.Policy
		want   string // "": no step
	}{
		"no policy": {http.MethodPost, nil, `"policy":false}`},
		"recorded":  {http.MethodPost, rules, `"policy":true,"level":"Metadata","stage":"ResponseComplete"}`},
		"left out":  {http.MethodDelete, rules, `"policy":true,"level":"None"}`},
		"a read":    {http.MethodGet, rules, ""},
	} {
		t.Run(name, func(t *testing.T) {
			bus := trace.New()
			defer bus.View(true).Close() // audit is told while somebody is there
			config, _ := askedOf(c.policy)
			Front(bus, config)
			handler := config.BuildHandlerChainFunc(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(http.StatusCreated)
			}), config)
			request := httptest.NewRequest(c.method, "/api/v1/namespaces/default/pods/p", nil)
			request = request.WithContext(trace.With(request.Context(), bus.Reserve()))
			answer := httptest.NewRecorder()
			handler.ServeHTTP(answer, request)
			told := ""
			steps, _ := bus.All()
			for i := range steps {
				if steps[i].Kind == audited {
					told = string(steps[i].JSON(true))
				}
			}
			id := answer.Header().Get("Audit-ID")
			if c.want == "" {
				if told != "" {
					t.Error(told)
				}
			} else if id == "" || !strings.Contains(told, `"auditID":"`+id+`",`+c.want) {
				t.Errorf("the answer has the audit ID %q, told is %q, want %s", id, told, c.want)
			}
		})
	}
}

// TestAuditOfAPanic: a handler that panics is audited at the stage Panic by upstream's filter, with the trace around
// it, and the trace has the stage and the end of the request.
func TestAuditOfAPanic(t *testing.T) {
	bus := trace.New()
	defer bus.View(true).Close() // audit is told while somebody is there
	config, backend := askedOf(&auditinternal.Policy{Rules: []auditinternal.PolicyRule{{Level: auditinternal.LevelMetadata}}})
	Front(bus, config)
	handler := config.BuildHandlerChainFunc(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("canary") }), config)
	r := httptest.NewRequest(http.MethodPost, "/api/v1/namespaces/default/pods", nil)
	r = r.WithContext(trace.With(r.Context(), bus.Reserve()))
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic is swallowed")
			}
		}()
		handler.ServeHTTP(httptest.NewRecorder(), r)
	}()
	if len(backend.of) == 0 || backend.of[len(backend.of)-1] != auditinternal.StagePanic {
		t.Errorf("audited at %v", backend.of)
	}
	told := ""
	steps, _ := bus.All()
	for i := range steps {
		told += string(steps[i].JSON(true))
	}
	if !strings.Contains(told, `"level":"Metadata","stage":"Panic"`) || !strings.Contains(told, `"kind":"apiserver.request"`) || strings.Contains(told, "canary") {
		t.Errorf("told is %s", told)
	}
}
