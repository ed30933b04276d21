// Package netpolicy holds in-tab pods to the NetworkPolicies of the cluster. It is asked at every
// connection and at the first datagram of every flow, in both directions, with the address that a
// Service has led to:
//
//	NetworkPolicies, Pods, Namespaces ── informers ──► Policies.Allow ◄── serviceproxy
//
// What is not allowed is dropped, so that who dials waits until it gives up. Connections and flows that
// stand when a policy comes or changes go on, as those that a kernel's connection tracking knows do;
// answers always pass. A pod always reaches itself, and the node of a pod always reaches it (probes).
//
// Only what in-tab nodes carry is asked about: a real node's packets are its own network's matter.
//
// It may import client-go, the API and podnet.
package netpolicy
