package methods

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/wasm/port"
)

// API is how the apiserver is reached as the page's user.
type API struct {
	// Server is scheme and host, "https://127.0.0.1:6443".
	Server    string
	Transport http.RoundTripper
}

type fetchParams struct {
	Method  string      `json:"method"`
	Path    string      `json:"path"`
	Headers [][2]string `json:"headers"`
	Body    bool        `json:"body"`
}

// Fetch serves `fetch`: one HTTP request, its response streamed as it comes. api returns when
// the apiserver can answer.
func Fetch(api func(context.Context) (*API, error)) port.Handler {
	return func(ctx context.Context, c *port.Call) (any, error) {
		var p fetchParams
		if err := c.Params(&p); err != nil {
			return nil, fmt.Errorf("fetch: %w", err)
		}
		a, err := api(ctx)
		if err != nil {
			return nil, fmt.Errorf("fetch %s %s: %w", p.Method, p.Path, err)
		}
		if err := fetch(ctx, c, p, a); err != nil {
			return nil, fmt.Errorf("fetch %s %s: %w", p.Method, p.Path, err)
		}
		return struct{}{}, nil
	}
}

func fetch(ctx context.Context, c *port.Call, p fetchParams, a *API) error {
	if !strings.HasPrefix(p.Path, "/") {
		return errors.New("a path begins with /")
	}
	if lasts(p.Path) {
		c.Rest()
	}
	var body io.Reader
	if p.Body {
		body = c.Input()
	}
	req, err := http.NewRequestWithContext(ctx, p.Method, a.Server+p.Path, body)
	if err != nil {
		return err
	}
	for _, h := range p.Headers {
		req.Header.Add(h[0], h[1])
	}
	resp, err := a.Transport.RoundTrip(req)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		return err
	}
	defer resp.Body.Close()
	if err := c.Head(resp.StatusCode, http.StatusText(resp.StatusCode), headerPairs(resp.Header)); err != nil {
		return err
	}
	return stream(c, resp.Body)
}

// lasts says of a request whether its answer goes on as long as somebody reads: a watch, or a log that is followed.
func lasts(path string) bool {
	u, err := url.ParseRequestURI(path)
	if err != nil {
		return false
	}
	for _, name := range []string{"watch", "follow"} {
		if on, err := strconv.ParseBool(u.Query().Get(name)); err == nil && on {
			return true
		}
	}
	return false
}

func headerPairs(h http.Header) [][2]string {
	pairs := [][2]string{}
	for name, values := range h {
		for _, v := range values {
			pairs = append(pairs, [2]string{strings.ToLower(name), v})
		}
	}
	return pairs
}

// stream copies a body; each part that arrives goes on at once, since a watch sends little and
// then waits.
func stream(c *port.Call, body io.Reader) error {
	out := c.Output("body")
	buf := make([]byte, 32<<10)
	for {
		n, err := body.Read(buf)
		if n > 0 {
			if _, err := out.Write(buf[:n]); err != nil {
				return err
			}
			if err := c.Flush(); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the response: %w", err)
		}
	}
}
