package image

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"time"

	"github.com/tabernetes/tabernetes/core/program"
)

// goproxy is the proxy to which the documentation's TCP probe connects (registry.k8s.io/goproxy, an example of
// github.com/elazarl/goproxy): it passes requests on, and connections by CONNECT.
func goproxy() Image {
	return Image{
		Names:        []string{"registry.k8s.io/goproxy", "k8s.gcr.io/goproxy", "gcr.io/google_containers/goproxy"},
		Tags:         Tags{Words: []string{"0.1"}},
		Cmd:          []string{"/goproxy"},
		Env:          []string{defaultPath},
		ExposedPorts: []string{"8080/tcp"},
		Programs:     map[string]program.Program{"/goproxy": goproxyMain},
	}
}

// goproxyPatience is how long the proxy waits for whom it connects to.
const goproxyPatience = 30 * time.Second

func goproxyMain(ctx context.Context, p *program.Process) int {
	ctx, stop := UntilTold(ctx, p)
	defer stop()
	onward := &http.Transport{DialContext: p.Net.Dial, DisableKeepAlives: true, MaxResponseHeaderBytes: 64 << 10, ResponseHeaderTimeout: goproxyPatience}
	proxy := &httputil.ReverseProxy{Transport: onward, Rewrite: func(*httputil.ProxyRequest) {}}
	return serveHTTP(ctx, p, 8080, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodConnect:
			goproxyConnect(p, w, r)
		case !r.URL.IsAbs():
			http.Error(w, "This is a proxy server. Does not respond to non-proxy requests.", http.StatusInternalServerError)
		default:
			proxy.ServeHTTP(w, r)
		}
	}))
}

// goproxyConnect joins who asks with whom he names, until one of them ends.
func goproxyConnect(p *program.Process, w http.ResponseWriter, r *http.Request) {
	dialled, cancel := context.WithTimeout(r.Context(), goproxyPatience)
	defer cancel()
	there, err := p.Net.Dial(dialled, "tcp", r.Host)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer there.Close()
	here, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	defer here.Close()
	defer context.AfterFunc(r.Context(), func() { here.Close(); there.Close() })()
	_ = here.SetDeadline(time.Time{})
	if _, err := fmt.Fprint(here, "HTTP/1.0 200 OK\r\n\r\n"); err != nil {
		return
	}
	ended := make(chan struct{}, 2)
	pass := func(to net.Conn, from io.Reader) {
		_, _ = io.Copy(to, from) // either may go as it pleases
		ended <- struct{}{}
	}
	go pass(there, buffered)
	go pass(here, there)
	<-ended
}
