package serviceproxy

import (
	"context"
	"net"
	"net/netip"
	"strconv"

	"k8s.io/klog/v2"

	"github.com/tabernetes/tabernetes/core/node/podnet"
)

// nodePorts are the open node ports of a node. Those for datagrams need none: Proxy.AtNode is asked.
type nodePorts struct {
	proxy *Proxy
	open  map[int]net.Listener
}

// set opens and closes ports as the table says.
func (n *nodePorts) set(ctx context.Context, t *table) {
	for port, l := range n.open {
		if t.nodePorts[nodePort{"tcp", port}] == nil {
			l.Close()
			delete(n.open, port)
		}
	}
	for at, f := range t.nodePorts {
		if n.open[at.port] != nil || !isStream(at.network) {
			continue
		}
		var lc net.ListenConfig
		l, err := lc.Listen(ctx, "tcp", net.JoinHostPort(n.proxy.opts.IP.String(), strconv.Itoa(at.port)))
		if err != nil {
			// As kube-proxy does: the Service works by its other addresses.
			klog.FromContext(ctx).Error(err, "Opening a node port failed; another program has it", "node", n.proxy.opts.Node, "service", f.name)
			continue
		}
		n.open[at.port] = l
		go n.proxy.serveNodePort(ctx, l)
	}
}

func (n *nodePorts) close() {
	for _, l := range n.open {
		l.Close()
	}
}

// serveNodePort passes connections on until l is closed.
func (p *Proxy) serveNodePort(ctx context.Context, l net.Listener) {
	podnet.Forward(l, func(in net.Conn) (net.Conn, error) {
		client, err := netip.ParseAddrPort(in.RemoteAddr().String())
		if err != nil {
			return nil, err
		}
		at, err := netip.ParseAddrPort(in.LocalAddr().String())
		if err != nil {
			return nil, err
		}
		from := client.Addr().Unmap()
		way, err := p.AtNode("tcp", from, at)
		if err == nil && way.To == at {
			err = net.ErrClosed // the Service has gone
		}
		return p.Follow(ctx, from, way, "tcp", at, err)
	})
}
