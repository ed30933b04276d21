// Package program is what an in-tab container runs: a function with arguments, an
// environment, a working directory, standard streams, a file system and a network of its own.
//
// What a program does with it stays in bounds: an FS does not lead out of its root (tree.go), nor do the
// links that it makes lead anybody else anywhere (link.go), its files have an end (Disk), and what is held is drawn from a Cgroup (Memory).
//
// It is the contract between the in-tab container runtime (core/node/cri), the images
// (core/node/image), the shell with its small tools (core/shell) and the terminal of the page
// (core/kubectl). It may import the standard library and path-resolution libraries only; it must
// never import Kubernetes, the browser, or any of the packages that it serves.
package program
