// Package gateway lets a process without a network reach a few addresses of the machine's, and no
// others: the native control plane, which lives in a network of its own (core/netns), and its etcd.
//
// It is an HTTP proxy on a unix socket that knows CONNECT alone (RFC 9110, section 9.3.6). What is
// said inside is not looked at: TLS runs from end to end.
//
// It may import the standard library; it must never dial an address that it was not given when it
// was made.
package gateway
