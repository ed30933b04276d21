package serve

import (
	"errors"
	"fmt"
	"net"
	"os"

	"github.com/tabernetes/tabernetes/nodehost/hubtls"
)

// TLSMode says when the page and the hub are served with TLS.
type TLSMode string

// On loopback nobody is on the way, and browsers take http://localhost for safe. Everywhere else the
// pairing secret, and the page itself, would pass in clear.
const (
	TLSAuto TLSMode = "auto" // with an address that other machines reach, or with files of the user's
	TLSOn   TLSMode = "on"
	TLSOff  TLSMode = "off"
)

// certificate is what the page is served with at an address; nil is none.
func (o *Options) certificate(page net.Addr) (*hubtls.Certificate, error) {
	files := o.TLSCert != "" || o.TLSKey != ""
	switch {
	case o.TLS != "" && o.TLS != TLSAuto && o.TLS != TLSOn && o.TLS != TLSOff:
		return nil, fmt.Errorf("--tls is %q; auto, on and off are known", o.TLS)
	case files && (o.TLSCert == "" || o.TLSKey == ""):
		return nil, errors.New("--tls-cert and --tls-key belong together: give both")
	case files && o.TLS == TLSOff:
		return nil, errors.New("--tls=off serves without the certificate that --tls-cert names: give one of the two")
	case files:
		return hubtls.Open(o.TLSCert, o.TLSKey, o.Log)
	}
	ip := page.(*net.TCPAddr).IP
	if o.TLS == TLSOff || o.TLS != TLSOn && ip.IsLoopback() {
		if !ip.IsLoopback() {
			o.Log.Warn("without TLS whoever is on the way reads the pairing secret, and can change the page", "address", page)
		}
		return nil, nil
	}
	return hubtls.Own(o.State.Dir, ownHosts(ip, o.Hosts), o.Log)
}

// ownHosts are the names and addresses that the hub's own certificate is for.
func ownHosts(ip net.IP, more []string) []string {
	hosts := []string{"localhost", "127.0.0.1"}
	if !ip.IsUnspecified() {
		hosts = append(hosts, ip.String())
	} else if addrs, err := net.InterfaceAddrs(); err == nil {
		for _, a := range addrs {
			if n, ok := a.(*net.IPNet); ok && n.IP.IsGlobalUnicast() {
				hosts = append(hosts, n.IP.String())
			}
		}
	}
	if name, err := os.Hostname(); err == nil {
		hosts = append(hosts, name)
	}
	for _, h := range more {
		if name, _, err := net.SplitHostPort(h); err == nil {
			hosts = append(hosts, name)
		}
	}
	return hosts
}

// scheme and pin take no certificate, too.
func scheme(c *hubtls.Certificate) string {
	if c == nil {
		return "http://"
	}
	return "https://"
}

func pin(c *hubtls.Certificate) string {
	if c == nil {
		return ""
	}
	return c.Pin()
}
