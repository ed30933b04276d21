package serviceproxy

import (
	"context"
	"net"
	"net/netip"
	"strconv"

	"k8s.io/klog/v2"

	"github.com/tabernetes/tabernetes/core/node/podnet"
)

// nodePorts are the open node ports of a node.
type nodePorts struct {
	proxy *Proxy
	open  map[int]net.Listener
}

// set opens and closes ports as the table says.
func (n *nodePorts) set(ctx context.Context, t *table) {
	for port, l := range n.open {
		if t.nodePorts[port] == nil {
			l.Close()
			delete(n.open, port)
		}
	}
	for port, f := range t.nodePorts {
		if n.open[port] != nil {
			continue
		}
		var lc net.ListenConfig
		l, err := lc.Listen(ctx, "tcp", net.JoinHostPort(n.proxy.opts.IP.String(), strconv.Itoa(port)))
		if err != nil {
			// As kube-proxy does: the Service works by its other addresses.
			klog.FromContext(ctx).Error(err, "Opening a node port failed; another program has it", "node", n.proxy.opts.Node, "service", f.name)
			continue
		}
		n.open[port] = l
		go n.proxy.serveNodePort(ctx, l, port)
	}
}

func (n *nodePorts) close() {
	for _, l := range n.open {
		l.Close()
	}
}

// serveNodePort passes connections on until l is closed.
func (p *Proxy) serveNodePort(ctx context.Context, l net.Listener, port int) {
	podnet.Forward(l, func(in net.Conn) (net.Conn, error) {
		f := p.table.Load().nodePorts[port]
		if f == nil {
			return nil, net.ErrClosed
		}
		client, _ := netip.ParseAddrPort(in.RemoteAddr().String())
		endpoint, err := p.endpoint(f, client.Addr(), "tcp", in.LocalAddr())
		if err != nil {
			return nil, err
		}
		// The endpoint sees the node as its client, as it does behind kube-proxy's masquerade.
		return p.opts.Dial(ctx, p.opts.IP, "tcp", endpoint)
	})
}
