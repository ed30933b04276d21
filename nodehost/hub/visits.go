package hub

import (
	"crypto/rand"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/core/tunnel"
)

// Tickets and passes: so many at once, and for so long. The oldest goes when there are too many.
const (
	maxTickets  = 64
	maxPasses   = 1024
	ticketLives = time.Minute
	passLives   = 12 * time.Hour
)

// visitDomain ends the names at which browsers reach Services: they are this machine, to any browser, and no other.
const visitDomain = ".localhost"

// visitAt is what a host name stands for.
type visitAt struct {
	tunnel.VisitTarget
	cluster string // empty: the only one
}

// visitHost reads [PORT.]NAME.NAMESPACE[.CLUSTER].localhost[:…]. Any other name below localhost is one of nobody's; false
// is for what is not below it.
func visitHost(host string) (at visitAt, below bool) {
	host = strings.ToLower(host)
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	name, below := strings.CutSuffix(strings.TrimSuffix(host, "."), visitDomain)
	if !below {
		return visitAt{}, false
	}
	labels := strings.Split(name, ".")
	for _, l := range labels {
		if !tunnel.IsLabel(l) {
			return visitAt{}, true
		}
	}
	if len(labels) > 2 {
		if port, err := strconv.ParseUint(labels[0], 10, 16); err == nil && port > 0 {
			at.Port = uint16(port)
			labels = labels[1:]
		}
	}
	if len(labels) < 2 || len(labels) > 3 {
		return visitAt{}, true
	}
	at.Name, at.Namespace = labels[0], labels[1]
	if len(labels) == 3 {
		at.cluster = labels[2]
	}
	return at, true
}

// host is the name that visitHost reads.
func (at visitAt) host() string {
	name := at.Name + "." + at.Namespace
	if at.Port != 0 {
		name = strconv.Itoa(int(at.Port)) + "." + name
	}
	if at.cluster != "" {
		name += "." + at.cluster
	}
	return name + visitDomain
}

// grant is what somebody with the pairing secret has allowed: one host, for as long as the same cluster has its name.
type grant struct {
	host              string
	cluster, instance string
	path              string // of a ticket: where it leads
	until             time.Time
}

// visits are the tickets, each good for one use, and the passes that browsers have for them.
type visits struct {
	mu      sync.Mutex
	tickets map[string]grant
	passes  map[string]grant
}

func (v *visits) ticket(g grant) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	g.until = time.Now().Add(ticketLives)
	return put(&v.tickets, g, maxTickets)
}

// redeem takes a ticket of that host, and gives a pass for it.
func (v *visits) redeem(ticket, host string) (pass string, g grant, ok bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	g, ok = v.tickets[ticket]
	delete(v.tickets, ticket)
	if !ok || g.host != host || time.Now().After(g.until) {
		return "", grant{}, false
	}
	g.until = time.Now().Add(passLives)
	return put(&v.passes, g, maxPasses), g, true
}

// pass tells what the one of those passes that is of that host allows.
func (v *visits) pass(passes []string, host string) (grant, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, pass := range passes {
		g, ok := v.passes[pass]
		if ok && time.Now().After(g.until) {
			delete(v.passes, pass)
		} else if ok && g.host == host {
			return g, true
		}
	}
	return grant{}, false
}

// put keeps a grant under a name that nobody guesses.
func put(in *map[string]grant, g grant, most int) string {
	if *in == nil {
		*in = map[string]grant{}
	}
	if len(*in) >= most {
		oldest := ""
		for name, one := range *in {
			if oldest == "" || one.until.Before((*in)[oldest].until) {
				oldest = name
			}
		}
		delete(*in, oldest)
	}
	name := rand.Text()
	(*in)[name] = g
	return name
}

// passesOf are the passes in a request's cookies, and the header without them: they are not for the Service. There is one,
// unless a page of the same namespace has set others for all of that (Domain), which must not take its place.
func passesOf(r *http.Request) (passes []string, others string) {
	var rest []string
	for _, header := range r.Header.Values("Cookie") {
		for one := range strings.SplitSeq(header, ";") {
			one = strings.TrimSpace(one)
			if value, ok := strings.CutPrefix(one, passCookie+"="); ok {
				passes = append(passes, value)
			} else if one != "" {
				rest = append(rest, one)
			}
		}
	}
	return passes, strings.Join(rest, "; ")
}
