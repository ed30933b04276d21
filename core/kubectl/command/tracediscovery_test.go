package command

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/trace"
)

// TestDiscovery: asked for, read of files of an earlier command, or not needed.
func TestDiscovery(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, map[string]string{
			"/api":                            `{"kind":"APIVersions","versions":["v1"]}`,
			"/apis":                           `{"kind":"APIGroupList","apiVersion":"v1","groups":[]}`,
			"/api/v1":                         `{"kind":"APIResourceList","groupVersion":"v1","resources":[{"name":"pods","singularName":"pod","namespaced":true,"kind":"Pod","verbs":["list","get"]}]}`,
			"/api/v1/namespaces/default/pods": `{"kind":"PodList","apiVersion":"v1","items":[]}`,
		}[r.URL.Path])
	}))
	defer server.Close()
	dir := t.TempDir()
	config := fmt.Sprintf("apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts: [{name: c, context: {cluster: c, user: u}}]\n"+
		"clusters: [{name: c, cluster: {server: '%s'}}]\nusers: [{name: u, user: {}}]\n", server.URL)
	if err := os.WriteFile(filepath.Join(dir, "config"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ line, want string }{
		{"get --raw=/api/v1/namespaces/default/pods", "unneeded"},
		{"get pods", "/api /apis"},
		{"get pods", "cached"},
	} {
		bus := trace.New()
		p := &program.Process{
			Args: append([]string{"kubectl"}, strings.Fields(c.line)...), Dir: "/", FS: program.NewFS(dir),
			Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: t.Output(),
		}
		if code := New(Options{Kubeconfig: "/config", CacheDir: "/cache", Trace: bus})(context.Background(), p); code != 0 {
			t.Errorf("%s ended with %d", c.line, code)
		}
		var got []string
		steps, _ := bus.All()
		for i := range steps {
			d, ok := steps[i].Details.(*Asked)
			switch {
			case !ok || steps[i].Kind != discovered:
			case d.Cached:
				got = append(got, "cached")
			case d.Unneeded:
				got = append(got, "unneeded")
			default:
				got = append(got, d.Path)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, want %s", c.line, got, c.want)
		}
	}
}
