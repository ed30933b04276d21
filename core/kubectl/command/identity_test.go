package command

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/program"
)

// sat is a terminal at which somebody sits.
type sat struct{ raw []bool }

func (*sat) Size() (cols, rows int)   { return 80, 24 }
func (s *sat) Raw(on bool)            { s.raw = append(s.raw, on) }
func (*sat) Resized() <-chan struct{} { return nil }

// TestWhoHasNoCredentialsIsAsked: at the command's own terminal, once, and nobody is where there is none. The process's
// standard input is the operator's.
func TestWhoHasNoCredentialsIsAsked(t *testing.T) {
	server, ca := whoAsks(t)
	const asks = "Please enter Username: Please enter Password: \n"
	for name, c := range map[string]struct {
		user  string
		line  string
		types string
		sits  bool
		code  int
		want  string
	}{
		"who sits there":         {line: "get --raw /x", sits: true, types: "ann\nsecret\r", want: asks + "/x asked by [Basic YW5uOnNlY3JldA==]\n"},
		"once":                   {line: "api-versions", sits: true, types: "ann\nsecret\r", code: 1, want: asks},
		"a password that is set": {line: "get --raw /x --username=ann --password=secret", want: "/x asked by [Basic YW5uOnNlY3JldA==]\n"},
		"one over another":       {user: "username: ann, password: old", line: "get --raw /x --password=secret", want: "/x asked by [Basic YW5uOnNlY3JldA==]\n"},
		"a name without":         {user: "username: ann", line: "get --raw /x", want: "/x asked by [Basic YW5uOg==]\n"},
		"nobody":                 {line: "get --raw /x", types: "ann\n", code: 1, want: "the kubeconfig's user has no credentials, and nobody sits here to ask"},
		"a manifest":             {line: "create -f -", sits: true, types: "{apiVersion: v1, kind: Pod, metadata: {name: a}}\n", code: 1, want: "nobody sits here to ask"},
		"^C":                     {line: "get --raw /x", sits: true, types: "ann\n\x03", code: 1, want: "interrupted"},
		"without end":            {line: "get --raw /x", sits: true, types: strings.Repeat("a", 9000), code: 1, want: "what is typed is too long"},
		"who knows itself":       {user: "token: t", line: "get --raw /x", want: "/x asked by [Bearer t]\n"},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			config := "{apiVersion: v1, kind: Config, current-context: c, contexts: [{name: c, context: {cluster: k, user: u}}], " +
				"clusters: [{name: k, cluster: {server: '" + server.URL + "', certificate-authority-data: " + ca + "}}], users: [{name: u, user: {" + c.user + "}}]}"
			if err := os.WriteFile(root+"/config", []byte(config), 0o600); err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			p := &program.Process{
				Args: append([]string{"kubectl"}, strings.Fields(c.line)...), FS: program.NewFS(root), Dir: "/",
				Stdin: strings.NewReader(c.types), Stdout: &out, Stderr: &out,
			}
			seat := &sat{}
			if c.sits {
				p.Terminal = seat
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			code := New(Options{Kubeconfig: "/config", CacheDir: "/cache"})(ctx, p)
			if code != c.code || !strings.Contains(out.String(), c.want) || strings.Count(out.String(), "Username: ") > 1 {
				t.Errorf("exit code %d:\n%s\nwant %d, %s", code, out.String(), c.code, c.want)
			}
			if len(seat.raw) > 0 && seat.raw[len(seat.raw)-1] {
				t.Error("what is typed next is not shown")
			}
		})
	}
}
