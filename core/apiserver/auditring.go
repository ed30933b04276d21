package apiserver

import (
	"bytes"
	"sync"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"k8s.io/apiserver/pkg/audit"
	genericapiserver "k8s.io/apiserver/pkg/server"
	auditlog "k8s.io/apiserver/plugin/pkg/audit/log"
	"k8s.io/apiserver/plugin/pkg/audit/truncate"
)

// AuditRing keeps the last audit events of the policy in force, each as the line of JSON that an audit log has. It
// outlives the servers that write into it.
type AuditRing struct {
	maxBytes int

	mu    sync.Mutex
	lines [][]byte
	bytes int
	first int64 // number of lines[0], counted from the first that there ever was
	wake  chan struct{}
}

// maxAuditEvent is what one event may have in bytes before upstream's truncation takes its objects out.
const maxAuditEvent = 64 << 10

// NewAuditRing makes a ring that keeps so many bytes.
func NewAuditRing(maxBytes int) *AuditRing {
	return &AuditRing{maxBytes: maxBytes, wake: make(chan struct{})}
}

// join has the server write into the ring beside what its flags say. Without a policy nothing is recorded, and no
// filter is in the chain.
func (r *AuditRing) join(c *genericapiserver.Config) {
	if r == nil || c.AuditPolicyRuleEvaluator == nil {
		return
	}
	mine := truncate.NewBackend(auditlog.NewBackend(r, auditlog.FormatJson, auditv1.SchemeGroupVersion),
		truncate.Config{MaxEventSize: maxAuditEvent, MaxBatchSize: maxAuditEvent}, auditv1.SchemeGroupVersion)
	if c.AuditBackend == nil {
		c.AuditBackend = mine
		return
	}
	c.AuditBackend = audit.Union(c.AuditBackend, mine)
}

// Write takes one event: upstream's log backend writes each at once.
func (r *AuditRing) Write(line []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	event := bytes.TrimSpace(bytes.Clone(line))
	r.lines = append(r.lines, event)
	r.bytes += len(event)
	for r.bytes > r.maxBytes && len(r.lines) > 1 {
		r.bytes -= len(r.lines[0])
		r.lines[0] = nil
		r.lines = r.lines[1:]
		r.first++
	}
	close(r.wake)
	r.wake = make(chan struct{})
	return len(line), nil
}

// Since are the events from number on, oldest first, with the number that the next one will have and a channel that is
// closed when it comes. What is older than the ring holds is left out: missed says how many.
func (r *AuditRing) Since(number int64) (lines [][]byte, next, missed int64, more <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	next = r.first + int64(len(r.lines))
	if number < r.first {
		missed = r.first - max(number, 0)
		number = r.first
	}
	if number < next {
		lines = append(lines, r.lines[number-r.first:]...)
	}
	return lines, next, missed, r.wake
}
