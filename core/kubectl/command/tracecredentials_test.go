package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/trace"
)

// TestCredentialsAreAStep: who gave kubectl its credentials is told, with what the program itself told, and nothing of them.
// kubectl's own plugins are no commands of their own then.
func TestCredentialsAreAStep(t *testing.T) {
	inner := trace.Declare(trace.Kubectl, "test.inner", trace.Place{})
	server, ca := whoAsks(t)
	for name, c := range map[string]struct {
		says string
		code int
		want string // what the credentials' step says
	}{
		"a token":             {fmt.Sprintf(credentialOf, "v1", `"token": "canary", "expirationTimestamp": "2199-01-02T03:04:05Z"`), 0, `{"program":"kubectl log-in","gave":"token","expires":"2199-01-02T03:04:05Z"}`},
		"a failure":           {"", 3, `{"program":"kubectl log-in","error":"exec: executable kubectl failed with exit code 3"}`},
		"no kind":             {`{"token": "canary"}`, 0, `"error":"exec plugin is configured to use API version client.authentication.k8s.io/v1, plugin returned`},
		"no JSON":             {`canary`, 0, `{"program":"kubectl log-in","error":"what it printed is no ExecCredential"}`},
		"a kind of something": {`{"kind": "canary", "apiVersion": "canary/v1"}`, 0, `{"program":"kubectl log-in","error":"what it printed is no ExecCredential"}`},
	} {
		t.Run(name, func(t *testing.T) {
			root, bus := t.TempDir(), trace.New()
			config := "{apiVersion: v1, kind: Config, current-context: c, contexts: [{name: c, context: {cluster: k, user: u}}], " +
				"clusters: [{name: k, cluster: {server: '" + server.URL + "', certificate-authority-data: " + ca + "}}], users: [{name: u, user: {exec: " +
				"{apiVersion: client.authentication.k8s.io/v1, command: kubectl, args: [log-in, --password=canary, canary], interactiveMode: Never}}}]}"
			if err := os.WriteFile(root+"/config", []byte(config), 0o600); err != nil {
				t.Fatal(err)
			}
			login := func(ctx context.Context, p *program.Process) int {
				bus.Add(trace.Step{Kind: inner, Component: "kubectl", Cause: trace.Carried(ctx)})
				_, _ = io.WriteString(p.Stdout, c.says)
				return c.code
			}
			kubectl := New(Options{Kubeconfig: "/config", CacheDir: "/cache", Trace: bus})
			programs := map[string]program.Program{"kubectl": kubectl, "kubectl-log_in": login}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			var out strings.Builder
			kubectl(ctx, &program.Process{
				Args: []string{"kubectl", "get", "--raw", "/x"}, FS: program.NewFS(root), Dir: "/", Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out,
				Lookup:   func(name string) (program.Program, bool) { run, ok := programs[name]; return run, ok },
				Programs: []string{"kubectl", "kubectl-log_in"},
			})
			all, _ := bus.All()
			found := map[string]trace.Step{}
			for _, s := range all {
				if _, twice := found[s.Kind.Name]; twice && s.Kind.Name != "kubectl.request" {
					t.Errorf("%s is told twice", s.Kind.Name)
				}
				found[s.Kind.Name] = s
				if text := string(s.JSON(true)); strings.Contains(text, "canary") {
					t.Errorf("the trace has a secret: %s", text)
				}
			}
			credentials := found["kubectl.credentials"]
			if text := string(credentials.JSON(true)); !strings.Contains(text, c.want) {
				t.Errorf("%s\nwant %s\n%s", text, c.want, out.String())
			}
			if credentials.Cause == 0 || credentials.Cause != found["kubectl.command"].ID || found["test.inner"].Cause != credentials.ID {
				t.Errorf("of the command %d, by %d; what it told by %d", found["kubectl.command"].ID, credentials.Cause, found["test.inner"].Cause)
			}
		})
	}
}
