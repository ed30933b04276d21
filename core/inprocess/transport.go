package inprocess

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime/debug"
	"sync/atomic"
	"syscall"

	"github.com/tabernetes/tabernetes/core/trace"
)

// Transport sends requests to the handler that was set; it is safe for concurrent use. A request
// that arrives before Set fails, as one to a server that does not listen yet.
type Transport struct {
	handler atomic.Pointer[serving]
	held    atomic.Pointer[hold]
}

// hold is a time in which requests wait for a handler.
type hold struct {
	until context.Context
	set   chan struct{} // closed when there is one
}

// serving is a handler for as long as it is the one that is asked.
type serving struct {
	http.Handler
	ctx context.Context // done when it was cut off
	cut context.CancelFunc
}

var _ http.RoundTripper = (*Transport)(nil)

// ErrNoHandler is returned before Set, and by an endpoint that is closed. Upstream's clients take
// it for a refused connection and try again.
var ErrNoHandler = fmt.Errorf("in-process server has not started: %w", syscall.ECONNREFUSED)

// Set makes h answer all later requests.
func (t *Transport) Set(h http.Handler) {
	ctx, cut := context.WithCancel(context.Background())
	t.handler.Store(&serving{h, ctx, cut})
	if held := t.held.Swap(nil); held != nil {
		close(held.set)
	}
}

// Hold has requests that find no handler wait for the next Set, at most until ctx is done, as connections wait for a
// machine that starts again. It is for a server that gives way to another: who calls it in between need not know.
func (t *Transport) Hold(ctx context.Context) { t.held.Store(&hold{ctx, make(chan struct{})}) }

// serving is who answers; nil if nobody does.
func (t *Transport) serving(ctx context.Context) *serving {
	if h := t.handler.Load(); h != nil {
		return h
	}
	if held := t.held.Load(); held != nil {
		select {
		case <-held.set:
		case <-held.until.Done():
		case <-ctx.Done():
		}
	}
	return t.handler.Load()
}

// Unset takes the handler away, as a server that stops listening: later requests fail until the next Set, or wait for
// it (Hold). Those under way go on until cut, which ends them as connections that break.
func (t *Transport) Unset() (cut func()) {
	if was := t.handler.Swap(nil); was != nil {
		return was.cut
	}
	return func() {}
}

// Close takes handler and endpoints away; requests under way go on.
func (t *Transport) Close() {
	t.handler.Store(nil)
	endpoints.Range(func(host, e any) bool {
		if e.(*Endpoint).transport == t {
			endpoints.Delete(host)
		}
		return true
	})
}

// RoundTrip implements http.RoundTripper. The response's body streams what the handler writes;
// closing it, or the request's context, ends the handler's context.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) { return t.send(r, &Endpoint{}) }

func (t *Transport) send(r *http.Request, from *Endpoint) (*http.Response, error) {
	h := t.serving(r.Context())
	if h == nil {
		if r.Body != nil {
			r.Body.Close()
		}
		return nil, fmt.Errorf("%s %s: %w", r.Method, r.URL, ErrNoHandler)
	}
	// As on a connection, nothing but the end of the client's context reaches the server, and what
	// the request is caused by; and the end of the server itself.
	ctx, cancel := context.WithCancel(trace.Carry(r.Context(), context.WithValue(h.ctx, callerKey{}, from.caller)))
	stop := context.AfterFunc(r.Context(), cancel)
	in := serverRequest(ctx, r)
	from.sign(in)
	w := newWriter(r, cancel)
	go func() {
		defer func() {
			switch p := recover(); p {
			case nil:
				if h.ctx.Err() != nil {
					w.fail(io.ErrUnexpectedEOF)
				} else {
					w.finish()
				}
			case http.ErrAbortHandler:
				w.fail(io.ErrUnexpectedEOF)
			default:
				w.fail(fmt.Errorf("handler panicked: %v\n%s", p, debug.Stack()))
			}
			in.Body.Close()
			stop()
			cancel() // as a server does when a handler has returned
		}()
		h.ServeHTTP(w, in)
	}()
	select {
	case <-w.ready:
		return w.response, nil
	case <-r.Context().Done():
		return nil, context.Cause(r.Context())
	}
}

// serverRequest is r as a server would have read it off an HTTP/2 connection.
func serverRequest(ctx context.Context, r *http.Request) *http.Request {
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
