// Command images builds the container images that tests on real nodes run, from what the machine
// has: upstream's pause.c and test programs (agnhost and others) at the version in go.mod, and
// Debian's busybox-static, nginx and tools, under the names and tags that upstream's conformance
// suite uses. No registry is asked. `images build` writes docker archives, which `nodehost image
// import` reads; `images serve` serves archives as a registry, with a CA of its own and a password
// if asked to.
//
//	recipe.go, suite.go  what is in each image
//	flannel.go           a network that is a DaemonSet, built by its name only
//	tree.go, archive.go  its file system, and the archive
//	serve.go             the registry
//
// It may import go-containerregistry; nothing that is built for users does.
package main
