package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/tabernetes/tabernetes/core/node/podnet"
	"github.com/tabernetes/tabernetes/core/tunnel"
)

// visitPatience is how long a visitor's connection may take to be made.
const visitPatience = 10 * time.Second

// ServeVisit joins a browser's connection, which a hub on this machine has led here, to a Service, as Visit does;
// target is a tunnel.VisitTarget. Where that leads nowhere, the stream gets an answer in HTTP that says why.
func (c *Cluster) ServeVisit(ctx context.Context, target string, stream net.Conn) {
	conn, err := c.visitService(ctx, target)
	if err != nil {
		refuseVisit(stream, err)
		return
	}
	_ = tunnel.Splice(stream, conn) // browsers come and go as they please
}

func (c *Cluster) visitService(ctx context.Context, target string) (net.Conn, error) {
	t, err := tunnel.ParseVisitTarget(target)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, visitPatience)
	defer cancel()
	to, err := c.serviceAddress(t)
	if err != nil {
		return nil, err
	}
	conn, _, err := c.Visit(ctx, to)
	return conn, err
}

// serviceAddress is where a Service is, by its cluster IP.
func (c *Cluster) serviceAddress(t tunnel.VisitTarget) (netip.AddrPort, error) {
	if len(c.entrances()) == 0 { // and once there is a node, Services are followed
		return netip.AddrPort{}, ErrNoWayIn
	}
	service, err := c.services.informers.Core().V1().Services().Lister().Services(t.Namespace).Get(t.Name)
	if apierrors.IsNotFound(err) {
		return netip.AddrPort{}, fmt.Errorf("there is no Service %s in namespace %s", t.Name, t.Namespace)
	}
	if err != nil {
		return netip.AddrPort{}, err
	}
	ip, err := netip.ParseAddr(service.Spec.ClusterIP)
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("Service %s has no address of its own: it is headless, or a name elsewhere", t.Name)
	}
	var first int32
	for _, p := range service.Spec.Ports {
		if p.Protocol != corev1.ProtocolTCP && p.Protocol != "" {
			continue
		}
		if p.Port == int32(t.Port) || t.Port == 0 && p.Port == 80 {
			return netip.AddrPortFrom(ip, uint16(p.Port)), nil
		}
		if first == 0 {
			first = p.Port
		}
	}
	if t.Port != 0 || first == 0 {
		return netip.AddrPort{}, fmt.Errorf("Service %s has no TCP port %d", t.Name, t.Port)
	}
	return netip.AddrPortFrom(ip, uint16(first)), nil
}

// refuseVisit answers whatever is asked with why there is no answer. A page that shows it is asked for anew: a Service
// that somebody opens right after making it has no endpoint yet.
func refuseVisit(stream net.Conn, why error) {
	defer stream.Close()
	code := http.StatusBadGateway
	if errors.Is(why, podnet.ErrDropped) || errors.Is(why, context.DeadlineExceeded) {
		code = http.StatusGatewayTimeout
	}
	text := "Tabernetes: " + why.Error() + "\n"
	_ = stream.SetDeadline(time.Now().Add(visitPatience)) // without one it ends with its tunnel
	// What is asked is taken meanwhile, so that the answer is not cut off by what was not read.
	taken := make(chan struct{})
	go func() {
		defer close(taken)
		_, _ = io.Copy(io.Discard, stream)
	}()
	_, _ = fmt.Fprintf(stream, "HTTP/1.1 %d %s\r\nContent-Type: text/plain; charset=utf-8\r\nX-Content-Type-Options: nosniff\r\nRefresh: 2\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s",
		code, http.StatusText(code), len(text), text)
	_ = stream.SetReadDeadline(time.Now().Add(visitLinger))
	<-taken
}

// visitLinger is how long a refused visitor's own words are waited for.
const visitLinger = time.Second
