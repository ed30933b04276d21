package apiserver

import (
	_ "unsafe" // for go:linkname

	genericapiserver "k8s.io/apiserver/pkg/server"
	_ "k8s.io/kubernetes/pkg/controlplane/apiserver" // has the variable below, by the overlay
)

// BuildGenericConfig builds the client of the server's own informers before its caller can say
// how. They all start at once, each with a TLS handshake of its own, some 20 ms each in the tab.
//
//go:linkname configureLoopback k8s.io/kubernetes/pkg/controlplane/apiserver.configureLoopback
var configureLoopback func(*genericapiserver.Config)

// early keeps the informers' client in the process, too, until the function that it returns.
func (l *loopback) early() (done func()) {
	configureLoopback = l.keep
	return func() { configureLoopback = nil }
}
