package pki

import (
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authentication/user"
	kubeadmconstants "k8s.io/kubernetes/cmd/kubeadm/app/constants"
)

// The cluster's own users, named as kubeadm's certificates name them.
var (
	// Admin is the cluster's owner.
	Admin             = &user.DefaultInfo{Name: "kubernetes-admin", Groups: []string{user.SystemPrivilegedGroup}}
	ControllerManager = &user.DefaultInfo{Name: kubeadmconstants.ControllerManagerUser}
	Scheduler         = &user.DefaultInfo{Name: kubeadmconstants.SchedulerUser}
	// KubeProxy is whom RBAC's default binding system:node-proxier names.
	KubeProxy = &user.DefaultInfo{Name: user.KubeProxy}
	// ServiceController is whom RBAC's default binding system:controller:service-controller names.
	ServiceController = serviceaccount.UserInfo("kube-system", "service-controller", "")
	// PodNetwork reads what NetworkPolicies are about; core/cluster binds its role.
	PodNetwork = &user.DefaultInfo{Name: "system:tabernetes:pod-network"}
	// IngressController serves Ingresses where nodes are in the tab; core/cluster binds its role.
	IngressController = &user.DefaultInfo{Name: "system:tabernetes:ingress-controller", Groups: []string{user.AllAuthenticated}}
)

// InTabNodes is the group of the kubelets of this process. No certificate is made for it, so that no
// machine is in it.
const InTabNodes = "system:tabernetes:in-tab-nodes"

// NodeUser is a kubelet of this process, as the Node authorizer wants it.
func NodeUser(node string) user.Info {
	return &user.DefaultInfo{Name: kubeadmconstants.NodesUserPrefix + node, Groups: []string{kubeadmconstants.NodesGroup, InTabNodes}}
}
