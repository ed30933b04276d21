package cri

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// sandboxFiles are mounted into every container at these paths, unless the kubelet mounts
// something there itself.
var sandboxFiles = []string{"/etc/hostname", "/etc/hosts", "/etc/resolv.conf"}

// writeSandboxFiles makes what sandboxFiles names.
func (r *Runtime) writeSandboxFiles(s *sandbox) error {
	if err := os.MkdirAll(filepath.Join(s.dir, "etc"), 0o755); err != nil {
		return err
	}
	host := s.hostname(r.opts.NodeName)
	var hosts strings.Builder
	hosts.WriteString("127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n")
	for _, ip := range s.network.IPs() {
		fmt.Fprintf(&hosts, "%s\t%s\n", ip, host)
	}
	for name, text := range map[string]string{
		"/etc/hostname":    host + "\n",
		"/etc/hosts":       hosts.String(),
		"/etc/resolv.conf": resolvConf(s.config.GetDnsConfig()),
	} {
		if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// resolvConf writes resolv.conf(5), as containerd does.
func resolvConf(dns *runtimeapi.DNSConfig) string {
	var b strings.Builder
	if len(dns.GetSearches()) > 0 {
		fmt.Fprintf(&b, "search %s\n", strings.Join(dns.Searches, " "))
	}
	for _, s := range dns.GetServers() {
		fmt.Fprintf(&b, "nameserver %s\n", s)
	}
	if len(dns.GetOptions()) > 0 {
		fmt.Fprintf(&b, "options %s\n", strings.Join(dns.Options, " "))
	}
	return b.String()
}
