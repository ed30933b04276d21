package dns

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"path/filepath"
	"slices"
	"sync/atomic"

	"github.com/coredns/coredns/plugin"
	"github.com/coredns/coredns/plugin/forward"
	"github.com/coredns/coredns/plugin/pkg/proxy"
	"github.com/coredns/coredns/plugin/pkg/transport"
	"github.com/fsnotify/fsnotify"
	miekg "github.com/miekg/dns"
)

// hosts is CoreDNS' plugin forward over the name servers that the host uses now. A laptop that
// changes its network gets others.
type hosts struct {
	options Options
	now     atomic.Pointer[upstreams]
}

type upstreams struct {
	servers []string // host:port; none means that names which are not the cluster's are refused
	forward *forward.Forward
	proxies []*proxy.Proxy
}

func newHosts(o Options) *hosts {
	h := &hosts{options: o}
	h.now.Store(&upstreams{})
	return h
}

var _ plugin.Handler = (*hosts)(nil)

// Name implements plugin.Handler.
func (h *hosts) Name() string { return "hosts" }

// ServeDNS implements plugin.Handler.
func (h *hosts) ServeDNS(ctx context.Context, w miekg.ResponseWriter, r *miekg.Msg) (int, error) {
	now := h.now.Load()
	if len(now.servers) == 0 {
		return miekg.RcodeRefused, nil
	}
	return now.forward.ServeDNS(ctx, w, r)
}

// run follows the file until ctx is done. The directory is watched, because the file is
// replaced by renaming, and often is a link.
func (h *hosts) run(ctx context.Context) error {
	watch, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watch %s: %w", h.options.ResolvConf, err)
	}
	defer watch.Close()
	dirs := []string{filepath.Dir(h.options.ResolvConf)}
	if real, err := filepath.EvalSymlinks(h.options.ResolvConf); err == nil {
		dirs = append(dirs, filepath.Dir(real))
	}
	for _, dir := range slices.Compact(dirs) {
		if err := watch.Add(dir); err != nil {
			return fmt.Errorf("watch %s: %w", dir, err)
		}
	}
	defer func() { h.replace(&upstreams{}) }()
	for h.read(); ; {
		select {
		case e := <-watch.Events:
			if !e.Has(fsnotify.Chmod) {
				h.read()
			}
		case err := <-watch.Errors:
			h.options.Log.Warn("the host's name servers are not followed", "file", h.options.ResolvConf, "error", err)
		case <-ctx.Done():
			return nil
		}
	}
}

// read takes up the servers that the file names now, if they are others than before.
func (h *hosts) read() {
	servers := h.servers()
	if slices.Equal(servers, h.now.Load().servers) {
		return
	}
	next := &upstreams{servers: servers, forward: forward.New()}
	for _, s := range servers {
		p := proxy.NewProxy("forward", s, transport.DNS)
		next.proxies = append(next.proxies, p)
		next.forward.SetProxy(p)
	}
	h.options.Log.Info("names outside the cluster", "asked of", servers)
	h.replace(next)
}

func (h *hosts) replace(next *upstreams) {
	for _, p := range h.now.Swap(next).proxies {
		p.Stop()
	}
}

// servers are the file's name servers, but never this one: a question would go round for ever.
func (h *hosts) servers() []string {
	config, err := miekg.ClientConfigFromFile(h.options.ResolvConf)
	if err != nil {
		h.options.Log.Warn("no name servers of the host's", "file", h.options.ResolvConf, "error", err)
		return nil
	}
	var servers []string
	for _, s := range config.Servers {
		addr, err := netip.ParseAddr(s)
		if err != nil || addr.Unmap() == h.options.Address {
			continue
		}
		servers = append(servers, net.JoinHostPort(s, config.Port))
	}
	return servers
}
