// Package systemd has the machine's systemd keep a node: a unit that runs `nodehost join` from boot on,
// and again whenever it has ended. A component that gives up ends the process (upstream's way to say
// that starting anew is best); containers are in control groups of their own and go on.
//
// It writes one unit file and calls systemctl; it may import the standard library,
// core/wholefile and nodehost/nodedir, and must never touch another unit, but for the slice of the pods, which it stops.
package systemd
