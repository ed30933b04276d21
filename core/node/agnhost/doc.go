// Package agnhost has the commands of Kubernetes' test image agnhost that are upstream's own code:
// the admission webhooks and the conversion webhook, with which its suite tests both. Upstream's
// commands serve a port of the process and read its files; here the same handlers serve a pod's
// network with the certificate of a pod's file system, several at a time.
//
// The commands that need no Kubernetes are core/node/image's own.
//
// It may import upstream's test images, core/program and core/node/image. It must never be needed
// by anything but the composition root: a cluster runs without it.
package agnhost
