// Package accept takes the next connection of a listener over errors that pass: a process that is out
// of file descriptors for a while must not lose its port for good.
//
// It may import the standard library only. It must never end a listener that its owner did not close.
package accept
