package inprocess

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime/debug"
	"sync/atomic"
)

// Transport sends requests to the handler that was set; it is safe for concurrent use. A request
// that arrives before Set fails, as one to a server that does not listen yet.
type Transport struct {
	handler atomic.Pointer[http.Handler]
}

var _ http.RoundTripper = (*Transport)(nil)

// ErrNoHandler is returned before Set.
var ErrNoHandler = errors.New("in-process server has not started")

// Set makes h answer all later requests.
func (t *Transport) Set(h http.Handler) { t.handler.Store(&h) }

// RoundTrip implements http.RoundTripper. The response's body streams what the handler writes;
// closing it, or the request's context, ends the handler's context.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	h := t.handler.Load()
	if h == nil {
		return nil, fmt.Errorf("%s %s: %w", r.Method, r.URL, ErrNoHandler)
	}
	ctx, cancel := context.WithCancel(r.Context())
	in := serverRequest(r, ctx)
	w := newWriter(r, cancel)
	go func() {
		defer func() {
			if p := recover(); p != nil && p != http.ErrAbortHandler {
				w.fail(fmt.Errorf("handler panicked: %v\n%s", p, debug.Stack()))
				return
			}
			w.finish()
			in.Body.Close()
		}()
		(*h).ServeHTTP(w, in)
	}()
	select {
	case <-w.ready:
		return w.response, nil
	case <-ctx.Done():
		return nil, context.Cause(r.Context())
	}
}

// serverRequest is r as a server would have read it off an HTTP/2 connection.
func serverRequest(r *http.Request, ctx context.Context) *http.Request {
	in := r.Clone(ctx)
	in.RequestURI = r.URL.RequestURI()
	in.RemoteAddr = "127.0.0.1:0"
	in.Proto, in.ProtoMajor, in.ProtoMinor = "HTTP/2.0", 2, 0
	if in.Host == "" {
		in.Host = r.URL.Host
	}
	if in.Body == nil {
		in.Body = http.NoBody
	}
	// What a server sees has a path only.
	u := *r.URL
	u.Scheme, u.Host = "", ""
	in.URL = &u
	return in
}

// body is a response's body: closing it tells the handler that nobody reads on.
type body struct {
	*io.PipeReader
	cancel context.CancelFunc
}

// Close implements io.Closer.
func (b *body) Close() error {
	b.cancel()
	return b.PipeReader.Close()
}
