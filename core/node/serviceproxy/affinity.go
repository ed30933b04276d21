package serviceproxy

import (
	"net/netip"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	upstream "k8s.io/kubernetes/pkg/proxy"
)

// affinity remembers which endpoint served a client (sessionAffinity: ClientIP).
type affinity struct {
	mu   sync.Mutex
	last map[session]visit
}

type session struct {
	port   upstream.ServicePortName
	client netip.Addr
}

type visit struct {
	endpoint string
	until    time.Time
}

// forgetAbove is how many sessions are kept before those that have ended are looked for.
const forgetAbove = 1024

// choose gives the one of endpoints that the client had, if it is still there and the session has not ended,
// or the one that pick gives. A session lasts anew with each connection.
func (a *affinity) choose(f *frontend, endpoints []string, client netip.Addr, now time.Time, pick func([]string) string) string {
	if f.port.SessionAffinityType() != corev1.ServiceAffinityClientIP || !client.IsValid() {
		return pick(endpoints)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	key := session{f.name, client}
	had, ok := a.last[key]
	if !ok || now.After(had.until) || !slices.Contains(endpoints, had.endpoint) {
		had.endpoint = pick(endpoints)
	}
	had.until = now.Add(time.Duration(f.port.StickyMaxAgeSeconds()) * time.Second)
	if a.last == nil {
		a.last = map[session]visit{}
	}
	if len(a.last) > forgetAbove {
		for s, v := range a.last {
			if now.After(v.until) {
				delete(a.last, s)
			}
		}
	}
	a.last[key] = had
	return had.endpoint
}
