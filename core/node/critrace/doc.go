// Package critrace tells the bus (core/trace) of a container runtime's calls: each as the protobuf
// message that the CRI has for it, with its answer or its error, whose pod it is for, and how long it
// took. It stands before any runtime that implements cri-api's Go interfaces: the in-tab one, which
// is called as a function, or a client of one behind a socket.
//
//	runtime.go  the calls that change something, and those that a pod's sync asks
//	reads.go    the calls that are counted only, unless a sync makes them
//	call.go     one call as a step; which pod a sandbox or a container is of
//	cut.go      what is never kept: values of variables, commands, credentials, URLs
//
// It imports cri-api, protobuf and core/trace. It must never change a call, nor hold a message that
// its caller goes on to write to.
package critrace
