// Package defined runs images that a page has defined: their program is a JavaScript module of the page's, in a
// Worker of its own. The runtime starts it as any other program.Program, and this package is all that stands
// between the two: it serves HTTP on the pod's ports and hands requests to the Worker, writes what that prints,
// reads files for it, passes signals on, and ends it.
//
//	message.go  the messages of both directions: one kind, one number, bytes
//	runner.go   what there is to run, and where: Runner, Definition, Host
//	run.go      the life of one container
//	heard.go    what the Worker says, checked
//	request.go  one HTTP request and its answer
//	files.go    what the module reads
//	held.go     what Workers hold, as somebody else has measured it
//
// A module shares its Worker with the script of ours that runs it (web/container), so that whatever comes from
// there may be a lie. Nothing is believed: every message has a size and a turn, there is credit for what may be
// under way, and who breaks a rule is ended. docs/images.md is for who writes modules, ADR 49 says why.
//
// The package may import the standard library and core/program. It must never import Kubernetes, the browser or
// the runtime.
package defined
