// Command serve serves the built site on the loopback interface: what `make run` starts and the
// browser tests use. It knows files only: types, compressed twins (name.br), caching.
//
// It may import the standard library only. It must never proxy, run or generate anything: the
// site is static, and whatever it needs a server to do would be missing wherever else it is put.
package main
