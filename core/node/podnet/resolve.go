package podnet

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// Resolver answers what /etc/hosts does not. host is fully qualified and ends in a dot.
// *net.Resolver is one.
type Resolver interface {
	LookupHost(ctx context.Context, host string) ([]string, error)
}

// LookupHost resolves host as a pod's C library does: an IP is itself, then /etc/hosts, then
// the resolver, with the search list and ndots of /etc/resolv.conf (resolv.conf(5)).
// The error is a *net.DNSError.
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
	if s.pod.opts.Resolver == nil || name == "" {
		return nil, notFound
	}
	for _, fqdn := range candidates(host, s.readFile("/etc/resolv.conf")) {
		ips, err := s.pod.opts.Resolver.LookupHost(ctx, fqdn)
		if err == nil && len(ips) > 0 {
			return ips, nil
		}
		var dns *net.DNSError
		if err != nil && !(errors.As(err, &dns) && dns.IsNotFound) {
			return nil, &net.DNSError{Err: err.Error(), Name: host, UnwrapErr: err, IsTemporary: true}
		}
	}
	return nil, notFound
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

// candidates gives the fully qualified names that host may mean, in order.
func candidates(host, resolvConf string) []string {
	if strings.HasSuffix(host, ".") {
		return []string{host}
	}
	ndots := 1
	var search []string
	for line := range strings.Lines(resolvConf) {
		fields := strings.Fields(line)
		if len(fields) < 2 {
			continue
		}
		switch fields[0] {
		case "search":
			search = fields[1:]
		case "domain":
			search = fields[1:2]
		case "options":
			for _, o := range fields[1:] {
				if text, ok := strings.CutPrefix(o, "ndots:"); ok {
					if n, err := strconv.Atoi(text); err == nil {
						ndots = min(n, 15)
					}
				}
			}
		}
	}
	var names []string
	for _, domain := range search {
		if domain = strings.Trim(domain, "."); domain != "" {
			names = append(names, host+"."+domain+".")
		}
	}
	if strings.Count(host, ".") >= ndots {
		return append([]string{host + "."}, names...)
	}
	return append(names, host+".")
}
