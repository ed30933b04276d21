// Package goroot is the Go end of the hooks that wasm/overlay puts into GOROOT for js: the file
// system under package syscall, the addresses under package net, what os.Exit does, where templates find methods, and a turn
// for JavaScript's event loop.
//
// It is empty on every other platform. On js it links only in a build with the overlay. It may
// import the standard library only, and it must never touch JavaScript (wasm/jsx does).
package goroot
