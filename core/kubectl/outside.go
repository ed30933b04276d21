package kubectl

import (
	"fmt"
	"io"
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

// MaxManifest is how much kubectl reads of an answer from outside, in bytes: upstream's reader takes a document into
// memory as long as it goes on, which is the tab's.
const MaxManifest = 16 << 20

// Leaving sends requests that lead outside by Web, and all others by Inside.
type Leaving struct {
	Web, Inside http.RoundTripper
	// Max bounds what is read of an answer from outside, in bytes; 0 is no bound, for who reads and forgets.
	Max int64
}

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
	if err == nil && l.Max > 0 {
		resp.Body = &bounded{ReadCloser: resp.Body, left: l.Max, err: fmt.Errorf("what %s answers is longer than %d MiB: no manifest is", r.URL.Host, l.Max>>20)}
	}
	return resp, err
}

// bounded is a body that fails where it is longer than it may be.
type bounded struct {
	io.ReadCloser
	left int64
	err  error
}

// Read implements io.Reader.
func (b *bounded) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, b.err
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left+1)])
	if b.left -= int64(n); b.left < 0 { // one byte beyond is seen, and not given
		return n - 1, b.err
	}
	return n, err
}
