// Package egress is the one router for addresses of the cluster: whatever the apiserver dials
// (kubelets, pods, Services, webhooks) goes through it, by upstream's egress selection
// (k8s.io/apiserver/pkg/server/egressselector): by its dialers, and where upstream takes a file only, by proxies
// (connect.go).
//
// It may import the standard library, upstream's egress selector and its list of ports; it must never import what
// stands behind an address (nodes, tunnels): they register themselves.
package egress
