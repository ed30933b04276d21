// Package kubeletfile reads a KubeletConfiguration (kubelet.config.k8s.io/v1beta1) that a node's owner wrote,
// as upstream's kubelet does at its start, but for one thing: what upstream does not know is an error.
//
// It imports the kubelet's types and nothing of ours: nodes of the tab and of machines read theirs by it. It must
// never decide what a node takes of it.
package kubeletfile
