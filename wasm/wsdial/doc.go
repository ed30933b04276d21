// Package wsdial makes a net.Conn of a browser's WebSocket, for the tunnel to the hub.
//
// A browser's socket never blocks a writer and never tells a reader's pace to the sender. Here a
// Write waits while more than highWater bytes are queued, and a socket on which more than maxQueue
// bytes were received and not read is closed.
//
// It is empty on every other platform. It may import the standard library and wasm/jsx.
package wsdial
