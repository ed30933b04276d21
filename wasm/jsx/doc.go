// Package jsx is JavaScript for the rest of wasm/: values, bytes, promises, callbacks and the
// event loop, over safejs, whose calls return errors instead of panicking.
//
// It is the only package that imports safejs or syscall/js, so that what Go holds of JavaScript
// at rest is few and nameable (an image of the program has to find each again, ADR 52): Retained lists
// callbacks, SetRole says what else is there for.
//
// It is empty on every other platform. It may import the standard library, safejs and
// wasm/goroot; it must never know about Kubernetes or about the messages of the page.
package jsx
