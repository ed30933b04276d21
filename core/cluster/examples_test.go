package cluster_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	"github.com/tabernetes/tabernetes/core/kubectl"
)

// examples answers in the place of kubernetes.io's examples, which tutorials apply by their address: nothing of a
// test leaves this machine. scripts/e2e/internet.mjs serves the same files to the page.
type examples struct{}

// RoundTrip implements http.RoundTripper.
func (examples) RoundTrip(r *http.Request) (*http.Response, error) {
	const host, folder = "raw.githubusercontent.com", "/kubernetes/website/main/content/en/examples/"
	if r.URL.Host != host || !strings.HasPrefix(r.URL.Path, folder) {
		return nil, fmt.Errorf("a test asks %s", r.URL)
	}
	w := httptest.NewRecorder()
	http.StripPrefix(folder, http.FileServerFS(os.DirFS("testdata/tutorials/examples"))).ServeHTTP(w, r)
	resp := w.Result()
	resp.Request = r
	return resp, nil
}

// leaveByExamples has kubectl, which asks by http.DefaultClient, and the terminal's tools read those.
func leaveByExamples(net *kubectl.HostNetwork) {
	http.DefaultClient.Transport = kubectl.Leaving{Web: examples{}, Inside: http.DefaultTransport, Max: kubectl.MaxManifest}
	net.Web = examples{}
}
