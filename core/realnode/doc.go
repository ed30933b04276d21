// Package realnode is the control plane's side of real nodes, machines that joined through a hub:
//
//	route.go    the apiserver's dials to their kubelets and pods go through the tunnel
//	pods.go     what they and their pods dial among in-tab pods, through the tunnel, too
//	approve.go  their certificates are approved: the first one of a machine that joins (joining.go), and
//	            those that kubelets serve with (serving.go)
//	leave.go    Nodes of machines that have left are deleted
//	volumes.go  local volumes of nodes that there are no more are deleted when their claims have gone
//
// It runs while the cluster has a tunnel. Nothing is asked of the hub and nothing of the machine:
// a machine's route is an annotation of its Node, which the Node authorizer and NodeRestriction let
// nobody but that node and the cluster's owner write. Whether a dial is allowed is for the machine
// to say; who dials and who answers is for TLS to say, through which every dial goes (core/nodedial). What of a Node's words counts is core/confine's to say.
//
// It may import client-go, kubeadm's constants, core/confine, core/localpath, core/egress, core/nodedial, core/reconcile and core/tunnel; it must never import core/cluster.
package realnode
