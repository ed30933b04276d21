package command

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	_ "k8s.io/client-go/plugin/pkg/client/auth" // kube-scheduler's command has them in the program

	"github.com/tabernetes/tabernetes/core/program"
)

// TestAuthProviders: upstream's oidc provider reads files and dials of the process's own, whoever the kubeconfig is from: no
// issuer is asked and no file is read, and who logs in so is told what does it here. What says by itself who it is
// goes on.
func TestAuthProviders(t *testing.T) {
	server, ca := whoAsks(t)
	var asked atomic.Int32
	issuer := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer issuer.Close()
	secret := filepath.Join(t.TempDir(), "of-the-machine")
	if err := os.WriteFile(secret, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	const refused = `the auth-provider "oidc" of the kubeconfig's user is not used here: upstream's reads files and dials past this terminal's`
	for name, c := range map[string]struct {
		config string // of the provider
		line   string
		want   string
		code   int
	}{
		"a refresh":       {config: ", refresh-token: r", want: refused, code: 1},
		"a file":          {config: ", refresh-token: r, idp-certificate-authority: " + secret, want: refused, code: 1},
		"a discovery":     {config: ", refresh-token: r", line: "get pods", want: refused, code: 1},
		"one's own token": {config: ", refresh-token: r", line: "get --raw /x --token=mine", want: "/x asked by [Bearer mine]\n"},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			config := "{apiVersion: v1, kind: Config, current-context: c, contexts: [{name: c, context: {cluster: k, user: u}}], " +
				"clusters: [{name: k, cluster: {server: '" + server.URL + "', certificate-authority-data: " + ca + "}}], users: [{name: u, user: {auth-provider: " +
				"{name: oidc, config: {client-id: c, idp-issuer-url: '" + issuer.URL + "'" + c.config + "}}}}]}"
			if err := os.WriteFile(root+"/config", []byte(config), 0o600); err != nil {
				t.Fatal(err)
			}
			line := c.line
			if line == "" {
				line = "get --raw /x"
			}
			var out strings.Builder
			code := New(Options{Kubeconfig: "/config", CacheDir: "/cache"})(t.Context(), &program.Process{
				Args: append([]string{"kubectl"}, strings.Fields(line)...), FS: program.NewFS(root), Dir: "/", Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out,
			})
			if code != c.code || !strings.Contains(out.String(), c.want) || strings.Contains(out.String(), secret) {
				t.Errorf("exit code %d:\n%s\nwant %d, %s", code, out.String(), c.code, c.want)
			}
		})
	}
	if n := asked.Load(); n > 0 {
		t.Errorf("the issuer was asked %d times, by the process itself", n)
	}
}
