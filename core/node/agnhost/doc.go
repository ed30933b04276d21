// Package agnhost has the commands of Kubernetes' test image agnhost that take Kubernetes or its
// libraries: the admission webhooks and the conversion webhook, which are upstream's own code, and
// the check of a token against the cluster's issuer. Upstream's commands serve a port of the process
// and read its files; here they have a pod's network and file system, several at a time.
//
// The commands that need no Kubernetes are core/node/image's own.
//
// It may import upstream's test images, core/program and core/node/image. It must never be needed
// by anything but the composition root: a cluster runs without it.
package agnhost
