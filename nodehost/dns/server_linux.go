package dns

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"time"

	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/plugin"
	"github.com/coredns/coredns/plugin/cache"
	miekg "github.com/miekg/dns"

	"github.com/tabernetes/tabernetes/core/group"
	"github.com/tabernetes/tabernetes/nodehost/localaddr"
)

// Server is a node's name server.
type Server struct {
	options Options
	cluster *clusterZone
	hosts   *hosts
	server  *dnsserver.Server
	ready   chan struct{}
}

// New puts the server together; nothing runs before Run.
func New(o Options) (*Server, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	s := &Server{options: o, hosts: newHosts(o), ready: make(chan struct{})}
	if s.cluster, err = newClusterZone(o); err != nil {
		return nil, err
	}
	config := &dnsserver.Config{Zone: ".", Transport: "dns", Port: "53", ListenHosts: []string{o.Address.String()}}
	config.AddPlugin(localOnly(o.Local))
	config.AddPlugin(logErrors(o.Log))
	config.AddPlugin(s.cluster.handler)
	config.AddPlugin(func(next plugin.Handler) plugin.Handler {
		c := cache.New()
		c.Next = next
		return c
	})
	config.AddPlugin(func(plugin.Handler) plugin.Handler { return s.hosts })
	s.server, err = dnsserver.NewServer("dns://"+netip.AddrPortFrom(o.Address, 53).String(), []*dnsserver.Config{config})
	if err != nil {
		return nil, fmt.Errorf("name server: %w", err)
	}
	return s, nil
}

// Ready is closed when the server listens and has read the cluster's Services once.
func (s *Server) Ready() <-chan struct{} { return s.ready }

// Run listens and answers until ctx is done. Its address stays on the interface then, as
// containers do: who asks is refused at once. While the API server is away it answers from what it
// knew; before it ever knew, the cluster's names fail (SERVFAIL) and others work.
func (s *Server) Run(ctx context.Context) error {
	if err := localaddr.Ensure(s.options.Address); err != nil {
		return err
	}
	tcp, udp, err := s.listen()
	if err != nil {
		return err
	}
	ctx, parts := group.New(ctx)
	parts.Go("questions by TCP", func() error { return s.server.Serve(tcp) })
	parts.Go("questions by UDP", func() error { return s.server.ServePacket(udp) })
	parts.Go("the machine's own", func() error { return s.hosts.run(ctx) })
	parts.Go("the cluster's Services", func() error { return s.cluster.run(ctx, func() { close(s.ready) }) })

	<-ctx.Done()
	_ = s.server.Stop() // waits for answers under way, some seconds at most
	_, _ = tcp.Close(), udp.Close()
	return parts.Wait()
}

func (s *Server) listen() (net.Listener, net.PacketConn, error) {
	tcp, err := s.server.Listen()
	if err != nil {
		return nil, nil, fmt.Errorf("listen on %s, port 53: %w", s.options.Address, err)
	}
	udp, err := s.server.ListenPacket()
	if err != nil {
		_ = tcp.Close()
		return nil, nil, fmt.Errorf("listen on %s, port 53: %w", s.options.Address, err)
	}
	return tcp, udp, nil
}

// Check asks the server for the cluster's own Service, as a pod would. It fails while the server
// does not run or does not know the cluster.
func (s *Server) Check(ctx context.Context) error {
	q := new(miekg.Msg).SetQuestion("kubernetes.default.svc."+miekg.Fqdn(s.options.Domain), miekg.TypeA)
	client := &miekg.Client{Timeout: 2 * time.Second}
	a, _, err := client.ExchangeContext(ctx, q, s.server.Addr[len("dns://"):])
	if err != nil {
		return fmt.Errorf("ask the name server: %w", err)
	}
	if a.Rcode != miekg.RcodeSuccess {
		return fmt.Errorf("the name server answers %s for %s", miekg.RcodeToString[a.Rcode], q.Question[0].Name)
	}
	return nil
}
