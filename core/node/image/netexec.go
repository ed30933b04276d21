package image

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/program"
)

// Bounds of what netexec does for whoever asks it: what another pod answers is kept in bytes, and a
// request has one asked so often.
const (
	dialAnswer  = 1 << 20
	dialTries   = 1000
	dialTimeout = 5 * time.Second
)

// netexecAsks are the requests that have netexec ask another, or send whoever asks elsewhere (upstream's
// test/images/agnhost/README.md, "netexec").
func netexecAsks(mux *http.ServeMux, p *program.Process) {
	mux.HandleFunc("/dial", func(w http.ResponseWriter, r *http.Request) { dial(w, r, p.Net) })
	mux.HandleFunc("/redirect", func(w http.ResponseWriter, r *http.Request) {
		code := http.StatusFound
		if text := r.FormValue("code"); text != "" {
			var err error
			if code, err = strconv.Atoi(text); err != nil || code < 300 || code > 399 {
				fmt.Fprintf(w, "argument 'code' must be an integer or empty, got %q\n", text)
				return
			}
		}
		http.Redirect(w, r, r.FormValue("location"), code)
	})
}

// dial asks a host over HTTP or by datagram, as often as it is told, and says what it answered.
func dial(w http.ResponseWriter, r *http.Request, network program.Network) {
	host, port, request := r.FormValue("host"), r.FormValue("port"), r.FormValue("request")
	tries := 1
	if text := r.FormValue("tries"); text != "" {
		var err error
		if tries, err = strconv.Atoi(text); err != nil || tries > dialTries {
			http.Error(w, fmt.Sprintf("tries parameter is invalid: %q is no number up to %d", text, dialTries), http.StatusBadRequest)
			return
		}
	}
	protocol := strings.ToLower(r.FormValue("protocol"))
	switch {
	case request == "":
		http.Error(w, "request parameter not specified.", http.StatusBadRequest)
		return
	case protocol != "" && protocol != "http" && protocol != "udp":
		http.Error(w, "unsupported protocol. "+protocol, http.StatusBadRequest)
		return
	}
	to, err := url.Parse("http://" + net.JoinHostPort(host, port) + "/" + request)
	if err != nil {
		http.Error(w, fmt.Sprintf("host and/or port param are invalid. %v", err), http.StatusBadRequest)
		return
	}
	asks := func(ctx context.Context) (string, error) { return ask(ctx, network, to.String()) }
	if protocol == "udp" {
		asks = func(ctx context.Context) (string, error) {
			return askByDatagram(ctx, network, net.JoinHostPort(host, port), request)
		}
	}
	said := map[string][]string{}
	for range tries {
		answer, err := asks(r.Context())
		if r.Context().Err() != nil {
			return // nobody waits any more
		}
		if err != nil {
			said["errors"] = append(said["errors"], err.Error())
		} else {
			said["responses"] = append(said["responses"], answer)
		}
	}
	_ = json.NewEncoder(w).Encode(said) // who does not read it has gone
}

// ask is one GET on a connection of its own.
func ask(ctx context.Context, network program.Network, address string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	transport := &http.Transport{DialContext: network.Dial, DisableKeepAlives: true, MaxResponseHeaderBytes: 64 << 10}
	defer transport.CloseIdleConnections()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "", err
	}
	res, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, dialAnswer+1))
	if err == nil && len(body) > dialAnswer {
		err = errors.New("the answer is longer than a mebibyte")
	}
	return string(body), err
}
