// Package bootstrap lets machines join the cluster, in kubeadm's way: an expiring bootstrap token
// (a Secret in kube-system), the cluster-info ConfigMap that it signs, the hash of the CA's public
// key for the machine to check, and the rules by which a bearer of the token may ask for a node's
// certificate.
//
// What nodes may read for their network (network.go) and make for their volumes (volumes.go) is ours; all else is made by upstream's
// kubeadm (cmd/kubeadm/app/phases/bootstraptoken), all of it when the first
// token is asked for: a cluster that nobody joins carries none of it. Kubeadm leaves approving
// kubelets' serving certificates to the administrator; core/remote does that.
//
// It may import upstream's kubeadm and client-go; it must never know how a machine reaches the
// cluster.
package bootstrap
