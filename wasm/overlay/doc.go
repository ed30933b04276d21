// Package overlay lets upstream's packages compile for GOOS=js and behave there as they do on
// Linux, without a fork: it holds the table of every file of a dependency or of GOROOT that the
// wasm build sees differently, and the generator that writes Go's -overlay file from it.
//
// There are three kinds of entry. An edit names one or more texts inside an upstream file, each
// of which must occur exactly once; the patched copy is made at build time. A twin gives
// upstream's own file for another platform a name that js compiles. An added file is ours, lies
// below _files, and holds only what is missing. No upstream file is in this repository.
//
// Every entry carries the hash of the upstream file that it was made against, so that an upgrade
// fails loudly, by name, before anything is compiled.
//
// It may import the standard library only, and it must never run inside the tab: it is a tool of
// the build (see ADR 1, docs/adr/0001-upstream-by-overlay.md).
package overlay
