// Package serve is the composition root of `nodehost serve`: listeners, the page, the hub, and,
// if asked for, a native control plane as a child process.
//
// Nothing is listened on but what Options name, and their defaults are on loopback. The child
// ends with this process, however that ends.
//
// It may import nearly everything below nodehost that is not of a node, and core/tunnel.
package serve
