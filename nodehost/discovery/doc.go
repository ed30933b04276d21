// Package discovery finds out, before anything on the machine is changed, whether it can join: that
// the apiserver behind the forwarder knows the token, that its CA is the one that was pinned, that
// the clocks agree and that the name is free. It is kubeadm's discovery
// (cmd/kubeadm/app/discovery/token), with one clear error for each way to fail.
//
// It may import upstream's kubeadm, client-go and core/confine; it writes nothing.
package discovery
