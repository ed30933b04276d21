package apitrace

import (
	"time"

	genericapiserver "k8s.io/apiserver/pkg/server"

	"github.com/tabernetes/tabernetes/core/trace"
)

var audited = trace.Declare(trace.Etcd, "apiserver.audit", trace.Place{
	Package: "k8s.io/apiserver/pkg/endpoints/filters", Func: "evaluatePolicyAndCreateAuditEvent", Text: "rac := policy.EvaluatePolicyRule(attribs)",
})

// Audited are the details of apiserver.audit.
type Audited struct {
	// AuditID is what an audit log would find the request by, and what the answer's header Audit-ID says.
	AuditID string `json:"auditID"`
	// Policy is whether a policy is in force. Without one upstream leaves the audit filter out of the chain:
	// its evaluator is not asked, and nothing is recorded.
	Policy bool `json:"policy"`
	// Level is what the policy's evaluator decided for this request: None, Metadata, Request or
	// RequestResponse. Stage is the last that was recorded.
	Level string `json:"level,omitempty"`
	Stage string `json:"stage,omitempty"`
}

// Weight implements trace.Weigher.
func (a *Audited) Weight() int { return 64 + len(a.AuditID) }

// hasPolicy is upstream's own question: a backend and a policy, or no filter (WithAudit of
// k8s.io/apiserver/pkg/endpoints/filters).
func hasPolicy(c *genericapiserver.Config) bool {
	return c.AuditBackend != nil && c.AuditPolicyRuleEvaluator != nil
}

// tellAudit tells of what auditing made of the request, of writes only: t.mu is held.
func (t *request) tellAudit(auditID string) {
	if t.light || auditID == "" || !changes[t.details.Verb] {
		return
	}
	d := &Audited{AuditID: auditID, Policy: t.policy}
	if t.policy && t.audit != nil {
		d.Level = "None"
		if t.audit.Enabled() {
			d.Level, d.Stage = string(t.audit.GetEventLevel()), string(t.audit.GetEventStage())
		}
	}
	t.bus.Add(trace.Step{At: time.Now(), Kind: audited, Component: component, Cause: t.ID, Object: t.Object(), Details: d})
}

// changes are the verbs that write.
var changes = map[string]bool{"create": true, "update": true, "patch": true, "delete": true, "deletecollection": true}
