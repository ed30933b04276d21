package kubectl

import (
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// Outside tells whether an address leads out of the cluster and its tab: https, and a name that could be
// somebody's in the Internet. Addresses, names of one word and those of the cluster never are.
func Outside(u *url.URL) bool {
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if _, err := netip.ParseAddr(host); err == nil || u.Scheme != "https" || u.User != nil || !strings.Contains(host, ".") {
		return false
	}
	for _, inside := range []string{".localhost", ".local", ".svc", ".internal"} {
		if strings.HasSuffix(host, inside) {
			return false
		}
	}
	return true
}

// ToReadable is where a browser may read what stands at an address: kubernetes.io and github.com let
// no other page read their files, and raw.githubusercontent.com, which has the same ones, lets all.
func ToReadable(u *url.URL) *url.URL {
	const raw = "raw.githubusercontent.com"
	to := *u
	parts := strings.Split(strings.TrimPrefix(u.Path, "/"), "/")
	switch strings.ToLower(u.Hostname()) {
	case "k8s.io", "kubernetes.io", "www.kubernetes.io":
		if parts[0] == "examples" && len(parts) > 1 {
			to.Host, to.Path, to.RawPath = raw, "/kubernetes/website/main/content/en"+u.Path, ""
		}
	case "github.com":
		if len(parts) > 4 && (parts[2] == "raw" || parts[2] == "blob") {
			to.Host, to.Path, to.RawPath = raw, "/"+strings.Join(append(parts[:2:2], parts[3:]...), "/"), ""
		}
	}
	return &to
}

// Leaving sends requests that lead outside by Web, and all others by Inside.
type Leaving struct{ Web, Inside http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (l Leaving) RoundTrip(r *http.Request) (*http.Response, error) {
	if l.Web == nil || !Outside(r.URL) {
		return l.Inside.RoundTrip(r)
	}
	to := r.Clone(r.Context())
	to.URL = ToReadable(r.URL)
	to.Host = ""
	resp, err := l.Web.RoundTrip(to)
	// Who asks is told what it asked for, unless the host led elsewhere.
	if err == nil && resp.Request == to {
		resp.Request = r
	}
	return resp, err
}
