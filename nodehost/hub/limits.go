package hub

import (
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/tabernetes/tabernetes/nodehost/crowd"
)

// Rates, per source. A machine's own programs all come from one address, so these bound nonsense,
// guessing and what a cluster computes for strangers (a tab does a TLS handshake in a few
// milliseconds), not use.
const (
	failuresPerSecond = 1
	failureBurst      = 10
	clientsPerSecond  = 100
	clientBurst       = 1000
	hellosPerSecond   = 20 // of nodes that no cluster knows
	helloBurst        = 200
	requestsPerSecond = 500 // to the page's port; a page is a hundred
	requestBurst      = 5000
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
	clients  *rate.Limiter // of connections to a cluster
	hellos   *rate.Limiter // of nodes that no cluster knows
	requests *rate.Limiter // without the secret
	last     time.Time
}

func newLimits() *limits { return &limits{sources: map[string]*source{}} }

func (l *limits) of(address string) *source {
	from := crowd.Source(address)
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.sources[from]
	if s == nil {
		if len(l.sources) >= maxSources {
			l.forgetOne()
		}
		s = &source{
			failures: rate.NewLimiter(failuresPerSecond, failureBurst),
			clients:  rate.NewLimiter(clientsPerSecond, clientBurst),
			hellos:   rate.NewLimiter(hellosPerSecond, helloBurst),
			requests: rate.NewLimiter(requestsPerSecond, requestBurst),
		}
		l.sources[from] = s
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

// client reports whether the source may open one more connection to a cluster.
func (l *limits) client(addr string) bool { return l.of(addr).clients.Allow() }

// hello reports whether one more node that no cluster knows may come from there.
func (l *limits) hello(addr string) bool { return l.of(addr).hellos.Allow() }

// request reports whether the source may have one more request answered.
func (l *limits) request(addr string) bool { return l.of(addr).requests.Allow() }
