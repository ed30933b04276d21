// Package pki makes the cluster's keys and certificates at first start, and takes them up at
// later ones, as kubeadm lays them out: a cluster CA, a front-proxy CA, a service-account key pair, and the leaf certificates of
// the components, all ECDSA P-256 (an RSA key costs over half a second in wasm).
//
// Keys and certificates come from upstream's kubeadm (cmd/kubeadm/app/util/pkiutil); what is
// ours is only the list. It may import upstream's certificate packages, core/wholefile and the
// standard library; it must never import another package of core.
package pki
