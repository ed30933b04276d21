package podnet

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strings"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/tabernetes/tabernetes/core/program/dnsclient"
)

// LookupHost resolves host as a pod's C library does: an IP is itself, then /etc/hosts, then the name
// servers, search list and options of /etc/resolv.conf (resolv.conf(5)), which are asked over the pod's
// own network. The error is a *net.DNSError.
func (s *Sockets) LookupHost(ctx context.Context, host string) ([]string, error) {
	if _, err := netip.ParseAddr(host); err == nil {
		return []string{host}, nil
	}
	if ips := lookupHosts(s.readFile("/etc/hosts"), host); len(ips) > 0 {
		return ips, nil
	}
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return []string{"127.0.0.1"}, nil
	}
	notFound := &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	if name == "" || s.fs == nil {
		return nil, notFound
	}
	// An address is dialled as it is: names of servers are never asked of servers.
	asker := dnsclient.Asker{Dial: s.Dial, Config: dnsclient.ParseConfig(s.readFile("/etc/resolv.conf"))}
	asker.Servers = slices.DeleteFunc(asker.Servers, func(server string) bool {
		_, err := netip.ParseAddr(server)
		return err != nil
	})
	for _, fqdn := range asker.Candidates(host) {
		var ips []string
		for _, kind := range s.families() {
			m, err := asker.Ask(ctx, fqdn, kind)
			if err != nil {
				var dns *net.DNSError
				if errors.As(err, &dns) {
					dns.Name = host
				}
				return nil, err
			}
			for _, ip := range dnsclient.Addresses(m) {
				ips = append(ips, ip.String())
			}
		}
		if len(ips) > 0 {
			return ips, nil
		}
	}
	return nil, notFound
}

// families are the kinds of addresses that the pod can reach.
func (s *Sockets) families() (kinds []dnsmessage.Type) {
	for _, family := range []struct {
		is   func(netip.Addr) bool
		kind dnsmessage.Type
	}{{netip.Addr.Is4, dnsmessage.TypeA}, {netip.Addr.Is6, dnsmessage.TypeAAAA}} {
		if slices.ContainsFunc(s.pod.opts.IPs, family.is) {
			kinds = append(kinds, family.kind)
		}
	}
	return kinds
}

func (s *Sockets) readFile(name string) string {
	if s.fs == nil {
		return ""
	}
	data, err := s.fs.ReadFile(name)
	if err != nil {
		return "" // no file, no entries: as in the C library
	}
	return string(data)
}

// lookupHosts gives the addresses of host in the text of a hosts(5) file.
func lookupHosts(text, host string) []string {
	host = strings.TrimSuffix(host, ".")
	var ips []string
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		fields := strings.Fields(line)
		if len(fields) < 2 {
			continue
		}
		if _, err := netip.ParseAddr(fields[0]); err != nil {
			continue
		}
		if slices.ContainsFunc(fields[1:], func(n string) bool { return strings.EqualFold(n, host) }) {
			ips = append(ips, fields[0])
		}
	}
	// IPv4 first: what is on a pod's localhost answers there.
	slices.SortStableFunc(ips, func(a, b string) int {
		return strings.Count(a, ":") - strings.Count(b, ":")
	})
	return slices.Compact(ips)
}
