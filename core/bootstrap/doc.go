// Package bootstrap lets machines join the cluster, in kubeadm's way: an expiring bootstrap token
// (a Secret in kube-system), the cluster-info ConfigMap that it signs, the hash of the CA's public
// key for the machine to check, and the rules by which a bearer of the token may ask for a node's
// certificate.
//
// What nodes may read for their network (network.go) and make for their volumes (volumes.go), and what
// they may not write (confine.go, policy.go), is ours; all else is made by upstream's kubeadm
// (cmd/kubeadm/app/phases/bootstraptoken), all of it when the first token is asked for: a cluster that
// nobody joins carries none of it. One step of kubeadm's is left out: it has every name approved that a
// bearer of a token asks a certificate for. core/realnode approves those of free names, and kubelets'
// serving certificates, which kubeadm leaves to the administrator.
//
// It may import upstream's kubeadm, client-go, core/localpath and core/pki (the group of in-tab nodes); it must never
// know how a machine reaches the cluster.
package bootstrap
