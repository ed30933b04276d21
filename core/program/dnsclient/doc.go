// Package dnsclient asks name servers, as a program of a container does: over the container's own
// network, by datagram, and by TCP where an answer does not fit.
//
// What a server answers is a stranger's data: messages are bounded and parsed by
// golang.org/x/net/dns/dnsmessage, and an answer to another question is no answer.
//
// It may import the standard library and dnsmessage.
package dnsclient
