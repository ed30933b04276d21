// Package token is `nodehost token`: kubeadm's command of that name, for a cluster behind a hub. It
// speaks to the apiserver as its owner, with a kubeconfig, as kubectl does.
//
// It may import client-go, core/bootstrap and core/tunnel; it must never write a token anywhere but to Out.
package token
