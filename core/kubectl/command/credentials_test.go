package command

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/client-go/util/cert"

	"github.com/tabernetes/tabernetes/core/program"
)

// whoAsks is a server that says who asked it, and refuses the token "old".
func whoAsks(t *testing.T) (server *httptest.Server, caData string) {
	t.Helper()
	server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who := r.Header.Get("Authorization")
		if certs := r.TLS.PeerCertificates; len(certs) > 0 {
			who += " " + certs[0].Subject.CommonName
		}
		if who == "Bearer old" {
			w.WriteHeader(http.StatusUnauthorized)
		}
		fmt.Fprintf(w, "%s asked by [%s]\n", r.URL.Path, who)
	}))
	server.TLS = &tls.Config{ClientAuth: tls.RequestClientCert}
	server.StartTLS()
	t.Cleanup(server.Close)
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	return server, base64.StdEncoding.EncodeToString(ca)
}

const credentialOf = `{"apiVersion": "client.authentication.k8s.io/%s", "kind": "ExecCredential", "status": {%s}}`

// TestCredentialPlugins: what a program of the command's says counts, as upstream has it of one of the machine.
func TestCredentialPlugins(t *testing.T) {
	server, ca := whoAsks(t)
	certData, keyData, err := cert.GenerateSelfSignedCertKey("somebody", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	machine := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(machine, []byte("#!/bin/sh\ntouch "+machine+".ran\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	token := func(v string) string { return fmt.Sprintf(credentialOf, "v1", `"token": "`+v+`"`) }
	pair := fmt.Sprintf(`"clientCertificateData": %q, "clientKeyData": %q`, certData, keyData)
	for name, c := range map[string]struct {
		user string // below exec:, beside what all have
		says []string
		code int
		line string
		want string
		runs int32
	}{
		"a token":                 {says: []string{token("a")}, want: "/x asked by [Bearer a]\n", runs: 1},
		"a token of v1beta1":      {user: "apiVersion: client.authentication.k8s.io/v1beta1", says: []string{fmt.Sprintf(credentialOf, "v1beta1", `"token": "b"`)}, want: "/x asked by [Bearer b]\n", runs: 1},
		"a key pair":              {says: []string{fmt.Sprintf(credentialOf, "v1", pair)}, want: "/x asked by [ somebody", runs: 1},
		"both":                    {says: []string{fmt.Sprintf(credentialOf, "v1", pair+`, "token": "c"`)}, want: "/x asked by [Bearer c somebody", runs: 1},
		"once for all":            {says: []string{token("d")}, line: "api-versions", runs: 1},
		"shown to be there":       {says: []string{token("secret")}, line: "get --raw /x -v=9", want: "Authorization: Bearer <masked>", runs: 1},
		"what has expired":        {says: []string{fmt.Sprintf(credentialOf, "v1", `"token": "e", "expirationTimestamp": "2001-01-01T00:00:00Z"`)}, want: "Bearer e", runs: 2}, // for the header, and for the connection
		"what is refused":         {says: []string{token("old"), token("new")}, want: "You must be logged in", code: 1, runs: 2},
		"one's own token":         {says: []string{token("f")}, line: "get --raw /x --token=mine", want: "/x asked by [Bearer mine]\n"},
		"what it is told":         {user: "provideClusterInfo: true, env: [{name: A, value: b}], args: [-c, d]", says: []string{"$"}, want: `-c d b {"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","spec":{"cluster":{"server":"` + server.URL, code: 1, runs: 1},
		"its place":               {user: "command: ./login", says: []string{token("g")}, want: "Bearer g", runs: 1},
		"no program":              {user: "command: nosuch, installHint: Ask Ann.", want: "exec: executable nosuch not found\n\nA credential plugin is a program of this terminal here, or an executable script in its files\n\nAsk Ann.", code: 1},
		"one of the machine":      {user: "command: " + machine, want: "not found", code: 1},
		"another version":         {user: "apiVersion: client.authentication.k8s.io/v1alpha1", want: `exec plugin: invalid apiVersion "client.authentication.k8s.io/v1alpha1"`, code: 1},
		"another answer":          {user: "apiVersion: client.authentication.k8s.io/v1beta1", says: []string{token("h")}, want: "plugin returned version client.authentication.k8s.io/v1", code: 1, runs: 1},
		"no terminal":             {user: "interactiveMode: Always", want: "standard input is not a terminal", code: 1},
		"no answer":               {says: []string{"ann"}, want: "decoding stdout: ", code: 1, runs: 1},
		"no status":               {says: []string{`{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential"}`}, want: "didn't return a status field", code: 1, runs: 1},
		"nothing in it":           {says: []string{fmt.Sprintf(credentialOf, "v1", "")}, want: "didn't return a token or cert/key pair", code: 1, runs: 1},
		"half a pair":             {says: []string{fmt.Sprintf(credentialOf, "v1", `"clientKeyData": "x"`)}, want: "only certificate or key, not both", code: 1, runs: 1},
		"no pair":                 {says: []string{fmt.Sprintf(credentialOf, "v1", `"clientCertificateData": "x", "clientKeyData": "y"`)}, want: "failed parsing client key/certificate", code: 1, runs: 1},
		"too much":                {says: []string{strings.Repeat("x", maxCredential+1)}, want: "printed more than 1048576 bytes", code: 1, runs: 1},
		"a failure":               {says: []string{"!"}, want: "exec: executable login failed with exit code 3", code: 1, runs: 1},
		"one that asks it itself": {user: "command: kubectl, args: [get, --raw, /x]", want: "exec: kubectl asks for credentials that it gives itself", code: 1},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			var user []string
			for key, value := range map[string]string{"apiVersion": "client.authentication.k8s.io/v1", "command": "login", "interactiveMode": "Never"} {
				if !strings.Contains(c.user, key+": ") {
					user = append(user, key+": "+value)
				}
			}
			if c.user != "" {
				user = append(user, c.user)
			}
			config := "{apiVersion: v1, kind: Config, current-context: c, contexts: [{name: c, context: {cluster: k, user: u}}], " +
				"clusters: [{name: k, cluster: {server: '" + server.URL + "', certificate-authority-data: " + ca + "}}], users: [{name: u, user: {exec: {" + strings.Join(user, ", ") + "}}}]}"
			if err := os.MkdirAll(root+"/home", 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(root+"/home/config", []byte(config), 0o600); err != nil {
				t.Fatal(err)
			}
			var runs atomic.Int32
			login := func(_ context.Context, p *program.Process) int {
				says := c.says[min(int(runs.Add(1)), len(c.says))-1]
				switch says {
				case "!":
					return 3
				case "$":
					fmt.Fprintln(p.Stderr, strings.Join(append(p.Args[1:], p.Getenv("A"), p.Getenv("KUBERNETES_EXEC_INFO")), " "))
				}
				io.WriteString(p.Stdout, says)
				return 0
			}
			kubectl := New(Options{Kubeconfig: "/home/config", CacheDir: "/cache"})
			line := c.line
			if line == "" {
				line = "get --raw /x"
			}
			var out strings.Builder
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			code := kubectl(ctx, &program.Process{
				Args: append([]string{"kubectl"}, strings.Fields(line)...), FS: program.NewFS(root), Dir: "/", Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out,
				Lookup: func(name string) (program.Program, bool) {
					switch name {
					case "login", "/home/login":
						return login, true
					case "kubectl":
						return kubectl, true
					case "sh": // finds nothing
						return func(context.Context, *program.Process) int { return 127 }, true
					}
					return nil, false
				},
			})
			if c.line == "api-versions" {
				code = c.code // the server has no API
			}
			if code != c.code || !strings.Contains(out.String(), c.want) || runs.Load() != c.runs {
				t.Errorf("exit code %d, the program ran %d times:\n%s\nwant %d, %d, %s", code, runs.Load(), out.String(), c.code, c.runs, c.want)
			}
		})
	}
	if _, err := os.Stat(machine + ".ran"); err == nil {
		t.Error("a program of the machine ran")
	}
}

// TestStreamingCommandsShowTheirPair: a connection that is upgraded has the client's TLS configuration.
func TestStreamingCommandsShowTheirPair(t *testing.T) {
	certData, keyData, err := cert.GenerateSelfSignedCertKey("somebody", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	says := fmt.Sprintf(credentialOf, "v1", fmt.Sprintf(`"clientCertificateData": %q, "clientKeyData": %q`, certData, keyData))
	ps := &plugins{ctx: t.Context(), p: &program.Process{Lookup: func(string) (program.Program, bool) {
		return func(_ context.Context, p *program.Process) int { io.WriteString(p.Stdout, says); return 0 }, true
	}}}
	for _, c := range []struct {
		line string
		want bool
	}{{"exec web -- date", true}, {"-n x port-forward web 80", true}, {"get pods", false}} {
		ps.streams = streams(tree(t), strings.Fields(c.line))
		config := &rest.Config{ExecProvider: &clientcmdapi.ExecConfig{Command: "login", APIVersion: "client.authentication.k8s.io/v1", InteractiveMode: clientcmdapi.NeverExecInteractiveMode}}
		ps.take(config)
		if config.ExecProvider != nil || (len(config.CertData) > 0) != c.want {
			t.Errorf("%s: %v, %d bytes of a certificate", c.line, config.ExecProvider, len(config.CertData))
		}
	}
}
