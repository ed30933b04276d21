package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/wasm/jsx"
)

// maxSent is how much of a request's body is sent outside, in bytes.
const maxSent = 1 << 20

// web sends requests by the browser's fetch, as a page may: without credentials, and answers come only
// from who lets other pages read them (CORS).
type web struct{}

// RoundTrip implements http.RoundTripper. The body is read from the browser as it is read here.
func (web) RoundTrip(r *http.Request) (*http.Response, error) {
	init := map[string]any{"method": r.Method, "credentials": "omit", "referrerPolicy": "no-referrer", "mode": "cors", "cache": "no-store"}
	headers := map[string]any{}
	for name, values := range r.Header {
		switch name {
		// What the browser says itself, or what would have it ask the other side first, for nothing.
		case "User-Agent", "Host", "Accept-Encoding", "Connection":
		default:
			headers[name] = strings.Join(values, ", ")
		}
	}
	init["headers"] = headers
	if r.Body != nil {
		data, err := io.ReadAll(io.LimitReader(r.Body, maxSent+1))
		_ = r.Body.Close()
		if err != nil {
			return nil, err
		}
		if len(data) > maxSent {
			return nil, fmt.Errorf("a page sends %d bytes at most", maxSent)
		}
		if len(data) > 0 {
			init["body"] = string(data)
		}
	}
	options, stop, err := abortable(init)
	if err != nil {
		return nil, err
	}
	resp, err := fetched(r, options)
	if err != nil {
		stop()
		if ctx := r.Context().Err(); ctx != nil {
			return nil, ctx
		}
		return nil, fmt.Errorf("%s cannot be read from here: it did not answer, or it does not let other web pages read it, and a browser asks for that (CORS). Open it in a tab of its own, and paste it after `cat > FILE` (%w)", r.URL.Host, err)
	}
	resp.Body.(*webBody).stop = stop
	return resp, nil
}

// abortable is init as an object with a signal, and what sets that.
func abortable(init map[string]any) (options jsx.Value, stop func(), err error) {
	if options, _, err = jsx.ToJS(init); err != nil {
		return options, nil, err
	}
	class, err := jsx.Global("AbortController")
	if err != nil {
		return options, nil, err
	}
	controller, err := class.New()
	if err != nil {
		return options, nil, err
	}
	signal, err := jsx.Field(controller, "signal")
	if err != nil {
		return options, nil, err
	}
	return options, func() { _, _ = controller.Call("abort") }, options.Set("signal", signal)
}

// fetched is the answer's head, with a body that is still to come.
func fetched(r *http.Request, init jsx.Value) (*http.Response, error) {
	fetch, err := jsx.Global("fetch")
	if err != nil {
		return nil, err
	}
	promise, err := fetch.Invoke(r.URL.String(), init)
	if err != nil {
		return nil, err
	}
	answer, err := jsx.Await(r.Context(), promise)
	if err != nil {
		return nil, err
	}
	status, err := jsx.Field(answer, "status")
	if err != nil {
		return nil, err
	}
	code, err := status.Int()
	if err != nil {
		return nil, err
	}
	resp := &http.Response{
		StatusCode: code, Status: strconv.Itoa(code) + " " + http.StatusText(code), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, ContentLength: -1, Request: r,
	}
	if resp.Request, err = asked(r, answer); err != nil {
		return nil, err
	}
	all, err := jsx.Field(answer, "headers")
	if err != nil {
		return nil, err
	}
	array, err := jsx.Global("Array")
	if err != nil {
		return nil, err
	}
	list, err := array.Call("from", all)
	if err != nil {
		return nil, err
	}
	var pairs [][2]string
	if err := jsx.Unmarshal(list, &pairs); err != nil {
		return nil, err
	}
	for _, p := range pairs {
		resp.Header.Set(p[0], p[1])
	}
	// The browser has unpacked it: what stands there is no longer its length or its form.
	resp.Header.Del("Content-Encoding")
	resp.Header.Del("Content-Length")
	body := &webBody{ctx: r.Context()}
	resp.Body = body
	stream, err := answer.Get("body")
	if err != nil || stream.IsNull() {
		return resp, err
	}
	body.reader, err = stream.Call("getReader")
	body.open = err == nil
	return resp, err
}

// asked is the request that was answered: the browser follows where a host leads, and says where it came to.
func asked(r *http.Request, answer jsx.Value) (*http.Request, error) {
	field, err := jsx.Field(answer, "redirected")
	if err != nil {
		return nil, err
	}
	if led, err := field.Bool(); err != nil || !led {
		return r, err
	}
	if field, err = jsx.Field(answer, "url"); err != nil {
		return nil, err
	}
	to, err := field.String()
	if err != nil {
		return nil, err
	}
	last := r.Clone(r.Context())
	if last.URL, err = url.Parse(to); err != nil {
		return nil, fmt.Errorf("read where %s leads: %w", r.URL.Host, err)
	}
	return last, nil
}

// webBody reads a ReadableStream, piece by piece.
type webBody struct {
	ctx    context.Context
	stop   func()
	reader jsx.Value
	open   bool
	rest   []byte
}

// Read implements io.Reader.
func (b *webBody) Read(p []byte) (int, error) {
	for len(b.rest) == 0 {
		if !b.open {
			return 0, io.EOF
		}
		promise, err := b.reader.Call("read")
		if err != nil {
			return 0, err
		}
		piece, err := jsx.Await(b.ctx, promise)
		if err != nil {
			return 0, errors.Join(errors.New("the answer broke off"), err)
		}
		done, err := jsx.Field(piece, "done")
		if err != nil {
			return 0, err
		}
		if over, err := done.Bool(); err != nil || over {
			b.open = false
			continue
		}
		value, err := jsx.Field(piece, "value")
		if err != nil {
			return 0, err
		}
		if b.rest, err = jsx.Bytes(value); err != nil {
			return 0, err
		}
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

// Close ends the request.
func (b *webBody) Close() error {
	b.open = false
	b.stop()
	return nil
}
