package initializers

import (
	"context"
	"net/http"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/endpoints/handlers/responsewriters"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/endpoints/responsewriter"
)

// Handler stands directly before the handlers of the API, behind authorization: it reads what a request asks to see,
// and has a create wait until the object is initialized.
func (f *Feature) Handler(next http.Handler, serializer runtime.NegotiatedSerializer) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		info, ok := genericapirequest.RequestInfoFrom(r.Context())
		if !ok || !info.IsResourceRequest {
			next.ServeHTTP(w, r)
			return
		}
		a := &asked{view: viewOf(r, info), verb: info.Verb, subresource: info.Subresource}
		if u, ok := genericapirequest.UserFrom(r.Context()); ok {
			a.role = roleOf(u.GetName(), asksAll(r))
		}
		r = r.WithContext(context.WithValue(r.Context(), askedKey{}, a))
		creates := info.Subresource == "" && (info.Verb == "create" || info.Verb == "update" || info.Verb == "patch")
		if a.view == all || !creates {
			next.ServeHTTP(w, r)
			return
		}
		before := w.Header().Clone()
		held := &holding{ResponseWriter: w, asked: a}
		next.ServeHTTP(responsewriter.WrapForHTTP1Or2(held), r)
		if !held.held {
			return
		}
		for name := range w.Header() {
			if _, had := before[name]; !had && name != "Warning" {
				w.Header().Del(name)
			}
		}
		m := a.getMade()
		if err := f.await(r.Context(), m); err != nil {
			responsewriters.ErrorNegotiated(err, serializer, schema.GroupVersion{Group: info.APIGroup, Version: info.APIVersion}, w, r)
			return
		}
		answer(w, r, info, m, next)
	})
}

// holding keeps back the answer to a request that has stored what is not initialized.
type holding struct {
	http.ResponseWriter
	asked *asked
	wrote bool
	held  bool
}

var _ responsewriter.UserProvidedDecorator = (*holding)(nil)

// Unwrap implements responsewriter.UserProvidedDecorator.
func (h *holding) Unwrap() http.ResponseWriter { return h.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (h *holding) WriteHeader(code int) {
	if !h.wrote && code < http.StatusMultipleChoices && h.asked.getMade() != nil {
		h.held = true
	}
	h.wrote = true
	if !h.held {
		h.ResponseWriter.WriteHeader(code)
	}
}

// Write implements http.ResponseWriter.
func (h *holding) Write(b []byte) (int, error) {
	if !h.wrote {
		h.WriteHeader(http.StatusOK)
	}
	if h.held {
		return len(b), nil
	}
	return h.ResponseWriter.Write(b)
}

// answer has upstream answer with the object as it is now, as it would have been created so, in the form that the
// client asked for.
func answer(w http.ResponseWriter, r *http.Request, info *genericapirequest.RequestInfo, m *made, next http.Handler) {
	get := *info
	get.Verb, get.Name = "get", m.name
	get.Parts = []string{info.Resource, get.Name}
	r = r.Clone(genericapirequest.WithRequestInfo(r.Context(), &get))
	if info.Verb == "create" {
		r.URL.Path += "/" + get.Name
		r.URL.RawPath = ""
	}
	get.Path = r.URL.Path
	r.Method, r.Body, r.ContentLength, r.URL.RawQuery = http.MethodGet, http.NoBody, 0, ""
	r.Header.Del("Content-Type")
	next.ServeHTTP(responsewriter.WrapForHTTP1Or2(&created{w}), r)
}

// created says 201 for 200.
type created struct{ http.ResponseWriter }

// Unwrap implements responsewriter.UserProvidedDecorator.
func (c *created) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (c *created) WriteHeader(code int) {
	if code == http.StatusOK {
		code = http.StatusCreated
	}
	c.ResponseWriter.WriteHeader(code)
}
