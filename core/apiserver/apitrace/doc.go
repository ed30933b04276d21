// Package apitrace tells a trace.Bus what kube-apiserver does with a request: who it was taken for and
// by which authenticator, what each authorizer said, which admission plugin ran, changed or refused,
// and what was answered. It uses upstream's own seams, so that it holds natively and in the tab:
// admission decorators, the builder of the handler chain, interfaces in the server's configuration,
// and the lists inside the unions of authenticators and authorizers.
//
//	tap.go        where it is put in
//	start.go      what is told of the start; making.go when the servers' parts were made
//	request.go    which requests are traced, and the step of one
//	authenticate.go, authorize.go, fairness.go, admit.go
//	tokens.go     who knew a bearer token, of those behind upstream's cache; why.go why one was refused
//	handler.go    what upstream's handler of it says of its moments, by the spans that it begins
//	object.go     what was sent, what decoding and the registry made of it
//	registry.go   which hooks a resource's registry has, and its key (in the tab, by a line of the overlay)
//	audit.go      whether an audit policy is in force, and what it said
//	difference.go what a plugin changed, made when somebody looks
//	cut.go        what of an object is never kept
//
// Reads, leases and reviews are traced only if a traced step caused them: they are most of what a
// quiet cluster does. While nobody is there (trace.Bus.Attended) only requests, what refused them and what they
// wrote is told.
//
// It may import k8s.io/apiserver, k8s.io/kubernetes/pkg/apis and core/trace; it must never change
// what it taps: each wrapper answers as the wrapped would.
package apitrace
