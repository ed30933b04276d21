// Package beside is for components of Kubernetes that run in a pod, in the same process as the cluster: what
// upstream's commands take from their process, which is not theirs here.
//
// It may import upstream; it must never import other packages of core but
// the ground.
package beside
