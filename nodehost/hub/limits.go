package hub

import (
	"net"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Rates, per source address. A machine's own programs all come from one address, so these
// bound nonsense and guessing, not use.
const (
	failuresPerSecond = 1
	failureBurst      = 10
	clientsPerSecond  = 500
	clientBurst       = 2000
	// maxSources bounds the table; when it is full, what has been quiet longest goes.
	maxSources = 4096
)

// limits counts what each source does.
type limits struct {
	mu      sync.Mutex
	sources map[string]*source
}

type source struct {
	failures *rate.Limiter // of showing the secret
	clients  *rate.Limiter
	last     time.Time
}

func newLimits() *limits { return &limits{sources: map[string]*source{}} }

func (l *limits) of(addr string) *source {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		host = addr // a unix socket
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.sources[host]
	if s == nil {
		if len(l.sources) >= maxSources {
			l.forgetOne()
		}
		s = &source{
			failures: rate.NewLimiter(failuresPerSecond, failureBurst),
			clients:  rate.NewLimiter(clientsPerSecond, clientBurst),
		}
		l.sources[host] = s
	}
	s.last = time.Now()
	return s
}

func (l *limits) forgetOne() {
	var oldest string
	for host, s := range l.sources {
		if oldest == "" || s.last.Before(l.sources[oldest].last) {
			oldest = host
		}
	}
	delete(l.sources, oldest)
}

// attempt reports whether the source may show a secret: it has not failed too often.
func (l *limits) attempt(addr string) bool { return l.of(addr).failures.Tokens() >= 1 }

// failed counts a wrong secret.
func (l *limits) failed(addr string) { l.of(addr).failures.Allow() }

// client reports whether the source may open one more connection.
func (l *limits) client(addr string) bool { return l.of(addr).clients.Allow() }
