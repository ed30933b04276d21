package inprocess

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Scheme is that of an endpoint's URL. Every http.Client on http.DefaultTransport knows it, and so
// does client-go with a configuration that asks for no TLS.
const Scheme = "inprocess"

// endpoints holds the *Endpoint of each host.
var endpoints sync.Map

func init() {
	// The standard library's own way to a further scheme (as "file"). Only a program that has
	// replaced the default transport lacks it, and its requests say that they lack the scheme.
	if t, ok := http.DefaultTransport.(*http.Transport); ok {
		t.RegisterProtocol(Scheme, roundTripper{})
	}
}

// Endpoint is a Transport under a URL: it can stand in a kubeconfig, and it survives where
// client-go copies a configuration without its transport (rest.AnonymousClientConfig), as the
// controller manager's clients do.
//
// Its requests tell the handler who calls. Holding the URL is holding that name, as with a unix
// socket: it has a random part and never leaves the process.
type Endpoint struct {
	transport *Transport
	host      string
	caller    any
	program   string
}

// Endpoint publishes t until one of the two is closed. The handler finds the caller by Caller; it is the handler that
// knows what kind of value that is. name is for people who read a log.
func (t *Transport) Endpoint(name string, caller any) *Endpoint {
	e := &Endpoint{transport: t, host: name + "." + strings.ToLower(rand.Text()), caller: caller}
	endpoints.Store(e.host, e)
	return e
}

// URL is the address for clients.
func (e *Endpoint) URL() string { return Scheme + "://" + e.host }

// As has requests that name this process in their User-Agent name program, before the endpoint is
// used. client-go takes the name from the process, and the apiserver from there the manager of the
// fields that are written; here one process holds what upstream are several.
func (e *Endpoint) As(program string) *Endpoint {
	e.program = program
	return e
}

// processName is what client-go calls a program that has no name of its own.
var processName = filepath.Base(os.Args[0])

// sign puts the program's name in a request of the server's.
func (e *Endpoint) sign(in *http.Request) {
	name, rest, _ := strings.Cut(in.UserAgent(), "/")
	if e.program != "" && name == processName {
		in.Header.Set("User-Agent", e.program+"/"+rest)
	}
}

// Close takes the endpoint away; requests under way go on.
func (e *Endpoint) Close() { endpoints.Delete(e.host) }

// RoundTrip implements http.RoundTripper, whatever the request's host.
func (e *Endpoint) RoundTrip(r *http.Request) (*http.Response, error) {
	return e.transport.send(r, e)
}

type callerKey struct{}

// Caller is who calls, in a handler: what the request's endpoint was made with, nil if it came
// another way.
func Caller(ctx context.Context) any { return ctx.Value(callerKey{}) }

// roundTripper finds the endpoint that a request is for.
type roundTripper struct{}

// RoundTrip implements http.RoundTripper.
func (roundTripper) RoundTrip(r *http.Request) (*http.Response, error) {
	e, ok := endpoints.Load(r.URL.Host)
	if !ok {
		name, _, _ := strings.Cut(r.URL.Host, ".")
		return nil, fmt.Errorf("%s %s: endpoint %s: %w", r.Method, r.URL.Path, name, ErrNoHandler)
	}
	return e.(*Endpoint).RoundTrip(r)
}
