package cluster_test

import (
	"fmt"
	"io"
	"net/http"
	"sync"
	"syscall"
)

// line is what a client's requests go over; it can be cut.
type line struct {
	next http.RoundTripper

	mu       sync.Mutex
	isCut    bool
	bodies   map[*body]struct{} // being read
	requests []request          // that got through
}

// request is one for a list or a watch.
type request struct {
	watch, watchList bool
	from             string // resourceVersion
}

// errLineCut is what a client gets while an apiserver is away: it then tries its watch again.
var errLineCut = fmt.Errorf("the line is cut: %w", syscall.ECONNREFUSED)

func (l *line) wrap(next http.RoundTripper) http.RoundTripper {
	l.next, l.bodies = next, map[*body]struct{}{}
	return l
}

// RoundTrip implements http.RoundTripper.
func (l *line) RoundTrip(r *http.Request) (*http.Response, error) {
	l.mu.Lock()
	if l.isCut {
		l.mu.Unlock()
		return nil, errLineCut
	}
	q := r.URL.Query()
	l.requests = append(l.requests, request{q.Get("watch") != "", q.Get("sendInitialEvents") == "true", q.Get("resourceVersion")})
	l.mu.Unlock()
	res, err := l.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	b := &body{ReadCloser: res.Body, of: l}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.bodies[b] = struct{}{}
	res.Body = b
	return res, nil
}

// body forgets itself when it is closed.
type body struct {
	io.ReadCloser
	of *line
}

// Read implements io.Reader. A cut is the end, as from a server that shuts down: a reflector goes
// on from where it was then, and begins anew after an error.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.of.mu.Lock()
	defer b.of.mu.Unlock()
	if err != nil && b.of.isCut {
		err = io.EOF
	}
	return n, err
}

// Close implements io.Closer.
func (b *body) Close() error {
	b.of.mu.Lock()
	delete(b.of.bodies, b)
	b.of.mu.Unlock()
	return b.ReadCloser.Close()
}

// cut ends what is under way and refuses everything until mend.
func (l *line) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.isCut = true
	for b := range l.bodies {
		_ = b.ReadCloser.Close()
	}
}

func (l *line) mend() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.isCut = false
}

// took are the requests since it was asked last.
func (l *line) took() []request {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.requests
	l.requests = nil
	return r
}
