// Package etcdview shows people what lies in the cluster's store: its keys as a tree, the object at a
// key as upstream's own schemes decode it, what it was before, and who watches.
//
//	view.go      what is looked into, and what is refused to be looked up
//	tree.go      keys below a prefix, directories counted, a page at a time
//	object.go    one key, decoded: protobuf or JSON to YAML or JSON
//	encrypted.go which provider and key encrypted a value at rest
//	history.go   a key's versions that are still held
//	watchers.go  the live watches and how far each lags
//	cut.go       Secrets' values, which are not shown unless they are asked for, and what the trace withholds, for the journey
//
// It reads beside the apiserver, as `etcdctl get` does: no authorizer is asked, so it is for the
// owner's page only. It changes nothing. Each answer is bounded: keys of a page, keys that are
// counted for it, bytes of a text, versions, watchers.
//
// It may import core/store, core/trace (which step made a revision, and what none may hold) and upstream's schemes; it must
// not import the server that is beside it.
package etcdview
