package inprocess

import (
	"context"
	"net/http"
	"strconv"
	"sync"
)

// writer is the http.ResponseWriter of one request. The handler's goroutine uses it alone.
type writer struct {
	header   http.Header
	response *http.Response
	ready    chan struct{} // closed when response has its status and header
	sent     bool
	once     sync.Once // of the end

	request *http.Request
	body    *body
}

var (
	_ http.Flusher = (*writer)(nil)
	//nolint:staticcheck // upstream takes a writer for HTTP/2's only if it has CloseNotify
	_ http.CloseNotifier = (*writer)(nil)
)

func newWriter(r *http.Request, cancel context.CancelFunc) *writer {
	return &writer{header: http.Header{}, ready: make(chan struct{}), request: r, body: newBody(cancel)}
}

// Header implements http.ResponseWriter.
func (w *writer) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *writer) WriteHeader(status int) {
	if w.sent || status < 200 {
		return
	}
	w.sent = true
	length := int64(-1)
	if n, err := strconv.ParseInt(w.header.Get("Content-Length"), 10, 64); err == nil {
		length = n
	}
	w.response = &http.Response{
		Status:     strconv.Itoa(status) + " " + http.StatusText(status),
		StatusCode: status,
		Proto:      "HTTP/2.0", ProtoMajor: 2,
		Header:        w.header.Clone(),
		Body:          w.body,
		ContentLength: length,
		Request:       w.request,
	}
	close(w.ready)
}

// Write implements http.ResponseWriter.
func (w *writer) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.write(p)
}

// Flush implements http.Flusher. What was written is there to be read at once.
func (w *writer) Flush() { w.WriteHeader(http.StatusOK) }

// CloseNotify implements http.CloseNotifier.
func (w *writer) CloseNotify() <-chan bool {
	gone := make(chan bool, 1)
	context.AfterFunc(w.request.Context(), func() { gone <- true })
	return gone
}

// finish ends the response after the handler has returned. One that ended because its request was
// cancelled is not a whole one.
func (w *writer) finish() {
	w.once.Do(func() {
		w.WriteHeader(http.StatusOK)
		w.body.end(context.Cause(w.request.Context()))
	})
}

// fail ends the response with an error that its reader gets.
func (w *writer) fail(err error) {
	w.once.Do(func() {
		w.WriteHeader(http.StatusInternalServerError)
		w.body.end(err)
	})
}
