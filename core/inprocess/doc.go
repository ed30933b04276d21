// Package inprocess is HTTP without a network: a RoundTripper that calls an http.Handler of the
// same process, with no connection, no TLS and no framing, and endpoints that make it reachable
// under a URL. The cluster's own components use it; their requests are the larger part of a start
// in the tab. Everybody else comes over TLS.
//
// A request carries its cause to the handler (core/trace), which no header could be believed about.
//
// It may import the standard library and core/trace only.
package inprocess
