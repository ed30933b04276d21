package cluster_test

import (
	"bytes"
	"crypto/tls"
	"net/http"
	"strings"
	"testing"

	"k8s.io/client-go/rest"
)

// What old tutorials type first says that the cluster is well.
func TestComponentstatusesAreHealthy(t *testing.T) {
	var out bytes.Buffer
	if code := terminal(t.Context(), "kubectl get componentstatuses --no-headers 2>/dev/null", &out, &out); code != 0 {
		t.Fatalf("exit code %d: %s", code, out.String())
	}
	want := map[string]bool{"controller-manager": true, "scheduler": true, "etcd-0": true}
	for line := range strings.Lines(out.String()) {
		fields := strings.Fields(line)
		if !want[fields[0]] || fields[1] != "Healthy" {
			t.Errorf("%s", line)
		}
		delete(want, fields[0])
	}
	if len(want) > 0 {
		t.Errorf("missing: %v in\n%s", want, out.String())
	}
}

// Health is all that a stranger on the machine is told.
func TestComponentsTellStrangersTheirHealthOnly(t *testing.T) {
	config := running.AdminConfig()
	owner, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	stranger := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	for _, address := range []string{"https://127.0.0.1:10257", "https://127.0.0.1:10259"} {
		for _, c := range []struct {
			who  *http.Client
			path string
			want int
		}{
			{stranger, "/healthz", 200},
			{stranger, "/metrics", 403},
			{stranger, "/configz", 403},
			{stranger, "/debug/pprof/heap", 403},
			{owner, "/metrics", 200},
		} {
			res, err := c.who.Get(address + c.path)
			if err != nil {
				t.Errorf("%s%s: %v", address, c.path, err)
				continue
			}
			res.Body.Close()
			if res.StatusCode != c.want {
				t.Errorf("%s%s as %v: %s, want %d", address, c.path, c.who == owner, res.Status, c.want)
			}
		}
	}
}
