package image

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/tabernetes/tabernetes/core/program/programtest"
)

// TestGoproxy: requests and connections are passed on, and what is none for a proxy is told so.
func TestGoproxy(t *testing.T) {
	said := func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "at last: "+r.URL.Path) }
	plain := httptest.NewServer(http.HandlerFunc(said))
	defer plain.Close()
	secured := httptest.NewTLSServer(http.HandlerFunc(said))
	defer secured.Close()
	proxy := servingOver(t, programtest.Loopback{Network: machine{}, At: make(chan string, 1)}, "registry.k8s.io/goproxy:0.1", nil)

	client := secured.Client()
	client.Transport.(*http.Transport).Proxy = http.ProxyURL(&url.URL{Scheme: "http", Host: proxy})
	ask := func(client *http.Client, address string) string {
		t.Helper()
		res, err := client.Get(address)
		if err != nil {
			return err.Error()
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Error(err)
		}
		return res.Status + " " + string(body)
	}
	for address, want := range map[string]string{
		plain.URL + "/a": "200 OK at last: /a", secured.URL + "/b": "200 OK at last: /b", "http://127.0.0.1:1/": "502 Bad Gateway ",
	} {
		if got := ask(client, address); got != want {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
	if got, want := ask(http.DefaultClient, "http://"+proxy+"/"), "500 Internal Server Error This is a proxy server. Does not respond to non-proxy requests.\n"; got != want {
		t.Errorf("%q", got)
	}
}

// machine is the test's own network, to be dialled.
type machine struct{ programtest.Loopback }

func (machine) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, network, address)
}
