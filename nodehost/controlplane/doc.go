// Package controlplane runs the cluster that a tab holds without a browser: core/cluster behind
// a tunnel to the hub, in a process of its own.
//
// It is a process of its own because in-tab nodes need addresses that the machine has not got:
// core/netns gives it a network in which they are local, and from which nothing leads out. What
// leads in is the hub's unix socket, which is a file and knows no network. So the hub treats it
// as it treats a tab.
//
// It may import core/cluster and all that the cluster is made of, nodehost/datadir, nodehost/gateway and coder/websocket; it must never listen
// on, or dial, the machine's network: a real etcd is reached through the gateway.
package controlplane
