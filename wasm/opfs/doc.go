// Package opfs keeps a cluster's store in the browser's origin-private file system: a persist.Sink on
// synchronous access handles (https://fs.spec.whatwg.org/#api-filesystemsyncaccesshandle), which only a
// dedicated Worker has. What was written survives the tab, however it ends; what was flushed survives
// the machine.
//
// It may import core/store/persist and wasm/jsx.
package opfs
