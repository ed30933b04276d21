package dns

import (
	"context"
	"net/netip"

	"github.com/coredns/coredns/plugin"
	miekg "github.com/miekg/dns"
)

// local refuses whoever is not on this machine: a neighbour in the machine's network can send
// packets to a link-local address.
type local struct {
	local func(context.Context, netip.Addr) bool
	next  plugin.Handler
}

func localOnly(is func(context.Context, netip.Addr) bool) plugin.Plugin {
	return func(next plugin.Handler) plugin.Handler { return &local{is, next} }
}

// Name implements plugin.Handler.
func (l *local) Name() string { return "local" }

// ServeDNS implements plugin.Handler.
func (l *local) ServeDNS(ctx context.Context, w miekg.ResponseWriter, r *miekg.Msg) (int, error) {
	from, err := netip.ParseAddrPort(w.RemoteAddr().String())
	if err != nil || !l.local(ctx, from.Addr()) {
		return miekg.RcodeRefused, nil
	}
	return plugin.NextOrFailure(l.Name(), l.next, ctx, w, r)
}
