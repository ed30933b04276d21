package trace

import (
	"context"
	"strings"
	"sync"
)

// Request is a request to the apiserver while it is served and traced: its step's ID, and what is
// known by now of the object that it is about. It travels in the request's context, from the handler
// to the store. A nil *Request is one that is not traced.
type Request struct {
	ID ID
	// Tap is what the tap in front of the server has of it besides.
	Tap any

	mu     sync.Mutex // upstream leaves a handler behind that takes too long
	object Object
}

type requestKey struct{}

// serving is the context of a request that is traced. It is one link of the chain, which all that is asked of a context
// further down has to pass.
type serving struct {
	context.Context
	request *Request
}

// Value implements context.Context.
func (s *serving) Value(key any) any {
	switch key.(type) {
	case requestKey:
		return s.request
	case causeKey:
		return s.request.ID
	}
	return s.Context.Value(key)
}

// WithRequest is ctx for serving r. What is done in it is caused by r.
func WithRequest(ctx context.Context, r *Request) context.Context { return &serving{ctx, r} }

// RequestOf is the request that ctx serves; nil if it is not traced.
func RequestOf(ctx context.Context) *Request {
	r, _ := ctx.Value(requestKey{}).(*Request)
	return r
}

// Learn has more become known of the object.
func (r *Request) Learn(f func(*Object)) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	f(&r.object)
}

// Object is what is known of the object by now.
func (r *Request) Object() Object {
	if r == nil {
		return Object{}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.object
}

// Key is the object's ObjectKey.
func (o *Object) Key() string { return ObjectKey(o.Group, o.Resource, o.Namespace, o.Name) }

// At is the object that lies at a key of the store, as far as a request about this one says: itself, or one of the
// collection that it is about.
func (o *Object) At(key string) (at Object, found bool) {
	at = *o
	if at.Name == "" && at.Resource != "" && at.Subresource == "" {
		at.Name = key[strings.LastIndex(key, "/")+1:]
	}
	return at, at.isAt(key)
}

// isAt tells whether the object lies at that key of the store, of a request that may write others as
// well (addresses of Services, for one).
func (o *Object) isAt(key string) bool {
	rest, found := strings.CutSuffix(key, "/"+o.Name)
	return found && o.Name != "" && (o.Namespace == "" || strings.HasSuffix(rest, "/"+o.Namespace))
}
