// Command serve serves the built site on the loopback interface: what `make run` starts and the
// browser tests use. It is nodehost/site and a listener, because nodehost itself links all of
// Kubernetes.
//
// It may import the standard library and nodehost/site.
package main
