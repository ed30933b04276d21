package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
)

// ErrCut is what a node's requests to the API fail with while its link is cut.
var ErrCut = errors.New("the node's network is cut")

// apiLink stands between the kubelet's clients and the API. A kubelet cannot be
// stopped (its lease is renewed on a background context, its server never
// closes), so a node is taken away by cutting its link, watches included, and
// brought back by healing it.
type apiLink struct {
	mu   sync.Mutex
	up   context.Context
	down context.CancelCauseFunc
}

func newAPILink() *apiLink {
	l := &apiLink{}
	l.heal()
	return l
}

func (l *apiLink) heal() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.up == nil || l.up.Err() != nil {
		l.up, l.down = context.WithCancelCause(context.Background())
	}
}

func (l *apiLink) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down(ErrCut)
}

func (l *apiLink) state() context.Context {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.up
}

// wrap is a rest.Config.WrapTransport.
func (l *apiLink) wrap(next http.RoundTripper) http.RoundTripper { return &apiLinkTransport{l, next} }

type apiLinkTransport struct {
	link *apiLink
	next http.RoundTripper
}

// RoundTrip ends the request, and a response that is still being read, when the
// link is cut.
func (t *apiLinkTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	up := t.link.state()
	if up.Err() != nil {
		return nil, fmt.Errorf("%s %s: %w", req.Method, req.URL.Path, ErrCut)
	}
	ctx, cancel := context.WithCancelCause(req.Context())
	stop := context.AfterFunc(up, func() { cancel(ErrCut) })
	release := func() { stop(); cancel(nil) }
	resp, err := t.next.RoundTrip(req.WithContext(ctx))
	if err != nil {
		release()
		return nil, err
	}
	if resp.StatusCode == http.StatusSwitchingProtocols {
		return resp, nil // the body is the connection; ctx ends it on a cut
	}
	resp.Body = &apiLinkBody{ReadCloser: resp.Body, release: release}
	return resp, nil
}

// WrappedRoundTripper lets client-go find the transport below.
func (t *apiLinkTransport) WrappedRoundTripper() http.RoundTripper { return t.next }

type apiLinkBody struct {
	io.ReadCloser
	release func()
}

func (b *apiLinkBody) Close() error {
	defer b.release()
	return b.ReadCloser.Close()
}
