// Package inprocess is an http.RoundTripper that calls an http.Handler of the same process: no
// connection, no TLS, no framing. The apiserver's own clients use it, whose requests while it
// starts are the larger part of its start in the tab; everybody else comes over TLS.
//
// It may import the standard library only.
package inprocess
