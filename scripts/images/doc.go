// Command images builds the few container images that tests on real nodes run, from what the
// machine has: upstream's pause.c, Debian's busybox-static and nginx, and upstream's agnhost. No
// registry is asked. `images build` writes docker archives, which `nodehost image import` reads;
// `images serve` serves archives as a registry on loopback.
//
// It may import go-containerregistry; nothing that is built for users does.
package main
