package controlplane

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"

	"k8s.io/client-go/rest"

	"github.com/tabernetes/tabernetes/core/inprocess"
	"github.com/tabernetes/tabernetes/core/program"
)

// serviceAccount is where the kubelet puts a pod's token, as rest.InClusterConfig knows.
const serviceAccount = "/var/run/secrets/kubernetes.io/serviceaccount/"

// client is a pod's way to the API server, under a URL that can stand in a kubeconfig: what rest.InClusterConfig
// is in a process that is the pod's. Requests go over the pod's network, by TLS, as the pod's ServiceAccount.
type client struct {
	inside    inprocess.Transport
	endpoint  *inprocess.Endpoint
	transport *http.Transport
}

// newClient makes the way of a program by that name, which is closed when the program ends.
func newClient(p *program.Process, name string) (*client, error) {
	host, port := p.Getenv("KUBERNETES_SERVICE_HOST"), p.Getenv("KUBERNETES_SERVICE_PORT")
	if host == "" || port == "" {
		return nil, rest.ErrNotInCluster
	}
	if _, err := read(p, serviceAccount+"token"); err != nil {
		return nil, fmt.Errorf("read the token of the pod's ServiceAccount: %w", err)
	}
	ca, err := read(p, serviceAccount+"ca.crt")
	if err != nil {
		return nil, fmt.Errorf("read the cluster's CA: %w", err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(ca) {
		return nil, fmt.Errorf("%sca.crt has no certificate", serviceAccount)
	}
	c := &client{transport: &http.Transport{
		DialContext:       p.Net.Dial,
		TLSClientConfig:   &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		ForceAttemptHTTP2: true,
	}}
	target := &url.URL{Scheme: "https", Host: net.JoinHostPort(host, port)}
	proxy := &httputil.ReverseProxy{
		Transport: c.transport,
		ErrorLog:  log.New(p.Stderr, "", log.LstdFlags),
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			// Each time: the kubelet renews it.
			if token, err := read(p, serviceAccount+"token"); err == nil {
				r.Out.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
			}
		},
	}
	c.inside.Set(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// With a server in its context a response that breaks off is one for who reads it, too.
		proxy.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), http.ServerContextKey, true)))
	}))
	c.endpoint = c.inside.Endpoint(name, nil).As(name)
	return c, nil
}

// URL is where requests are sent; it stays in the process.
func (c *client) URL() string { return c.endpoint.URL() }

// Close ends what is under way.
func (c *client) Close() {
	cut := c.inside.Unset()
	cut()
	c.inside.Close()
	c.transport.CloseIdleConnections()
}
