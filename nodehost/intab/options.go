package intab

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/netip"
)

// Interface is the name of the interface that leads to in-tab pods.
const Interface = "tab-pods"

const (
	// perCaller and perNode bound connections to in-tab pods, of one address and of the machine. A node's
	// session at the hub holds 512 streams, of which the way to the API server takes up to 256.
	perCaller = 64
	perNode   = 192
)

// Options of the way to in-tab pods.
type Options struct {
	// MTU is the interface's, in bytes: that of the machine's pods.
	MTU int
	// Dial connects an address of this machine or of one of its pods to an in-tab pod. The error is
	// nodedial.ErrDropped, wrapped, if who asks is to hear nothing.
	Dial func(ctx context.Context, source netip.Addr, pod netip.AddrPort) (net.Conn, error)
	Log  *slog.Logger
}

func (o Options) complete() (Options, error) {
	if o.Dial == nil || o.MTU < minMTU || o.MTU > maxMTU {
		return o, errors.New("the way to in-tab pods: a way to dial is needed, and an MTU from 576 to 65535 bytes")
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return o, nil
}

const (
	minMTU = 576 // RFC 791's smallest that everybody takes
	maxMTU = 65535
)
