package dns

import (
	"context"
	"net/netip"

	"github.com/coredns/coredns/plugin"
	miekg "github.com/miekg/dns"

	"github.com/tabernetes/tabernetes/nodehost/link"
)

// local refuses whoever is not on this machine: a neighbour in the machine's network can send
// packets to a link-local address.
type local struct {
	pods []netip.Prefix
	next plugin.Handler
}

func localOnly(pods []netip.Prefix) plugin.Plugin {
	return func(next plugin.Handler) plugin.Handler { return &local{pods, next} }
}

// Name implements plugin.Handler.
func (l *local) Name() string { return "local" }

// ServeDNS implements plugin.Handler.
func (l *local) ServeDNS(ctx context.Context, w miekg.ResponseWriter, r *miekg.Msg) (int, error) {
	from, err := netip.ParseAddrPort(w.RemoteAddr().String())
	if err != nil || !link.Local(from.Addr(), l.pods) {
		return miekg.RcodeRefused, nil
	}
	return plugin.NextOrFailure(l.Name(), l.next, ctx, w, r)
}
