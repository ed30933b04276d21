package command

import (
	"encoding/base64"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/program"
)

// TestFilesThatKubeconfigsName are the command's, beside the kubeconfig or from its root, and none of the machine's.
func TestFilesThatKubeconfigsName(t *testing.T) {
	server, ca := whoAsks(t)
	authority, _ := base64.StdEncoding.DecodeString(ca)
	root, machine := t.TempDir(), t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	config := func(cluster, user string) string {
		return "{apiVersion: v1, kind: Config, current-context: c, contexts: [{name: c, context: {cluster: k, user: u}}], " +
			"clusters: [{name: k, cluster: {server: '" + server.URL + "', " + cluster + "}}], users: [{name: u, user: {" + user + "}}]}"
	}
	write(root+"/etc/ca.crt", string(authority))
	write(root+"/home/ca.crt", string(authority))
	write(root+"/home/token", "of the terminal")
	write(machine+"/token", "of the machine")
	write(machine+"/ca.crt", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte("of the machine")})))
	write(root+"/home/relative", config("certificate-authority: ca.crt", "tokenFile: token"))
	write(root+"/home/absolute", config("certificate-authority: /etc/ca.crt", "tokenFile: /home/token"))
	write(root+"/home/upwards", config("certificate-authority: ../../../../../../../etc/ca.crt", "tokenFile: ../../../../../../../../../home/token"))
	write(root+"/home/machine", config("certificate-authority: /etc/ca.crt", "tokenFile: "+machine+"/token"))
	write(root+"/home/machine2", config("certificate-authority: "+machine+"/ca.crt", "token: x"))
	write(root+"/home/machine3", config("certificate-authority: "+strings.Repeat("../", 20)+machine+"/ca.crt", "token: x"))
	write(root+"/home/machine4", config("certificate-authority: /etc/ca.crt", "client-certificate: "+machine+"/ca.crt, client-key: "+machine+"/ca.crt"))
	t.Setenv("TMPDIR", t.TempDir())
	kubectl := New(Options{Kubeconfig: "/home/usual", CacheDir: "/cache"})
	run := func(env, line string) string {
		var out strings.Builder
		kubectl(t.Context(), &program.Process{
			Args: append([]string{"kubectl"}, strings.Fields(line)...), Env: []string{"KUBECONFIG=" + env},
			FS: program.NewFS(root), Dir: "/home", Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out,
		})
		return out.String()
	}
	for _, c := range []struct{ env, line, want string }{
		{"relative", "get --raw /x", "/x asked by [Bearer of the terminal]"},
		{"/home/absolute", "get --raw /x", "/x asked by [Bearer of the terminal]"},
		{"upwards", "get --raw /x", "/x asked by [Bearer of the terminal]"},
		{"", "--kubeconfig=relative get --raw /x", "/x asked by [Bearer of the terminal]"},
		{"/nothing:relative", "get --raw /x", "/x asked by [Bearer of the terminal]"},
		{"relative:absolute", "get --raw /x", "/x asked by [Bearer of the terminal]"},
		{"machine", "get --raw /x", "open " + machine + "/token: no such file"},
		{"machine2", "get --raw /x", "unable to read certificate-authority " + machine + "/ca.crt"},
		{"machine3", "get --raw /x", "unable to read certificate-authority "},
		{"machine4", "get --raw /x", "unable to read client-cert " + machine + "/ca.crt"},
		{"relative", "config view --flatten --raw", "certificate-authority-data: " + ca},
		{"absolute", "config view --flatten --raw", "certificate-authority-data: " + ca},
		{"absolute", "config view", "certificate-authority: /etc/ca.crt"},
		{"relative:absolute", "config view", "certificate-authority: ca.crt"},
		{"machine2", "config view --flatten --raw", "no such file"},
		{"new", "config set-cluster k --server=" + server.URL + " --certificate-authority=/etc/ca.crt", `Cluster "k" set`},
		{"new", "config set-credentials u --token=t", `User "u" set`},
		{"new", "config set-context c --cluster=k --user=u", `Context "c" created`},
		{"new", "--context=c get --raw /x", "/x asked by [Bearer t]"},
		{"new", "config view", "certificate-authority: /etc/ca.crt"},
		{"new", "config set-cluster k --certificate-authority=ca.crt", `Cluster "k" set`},
		{"new", "--context=c get --raw /x", "/x asked by [Bearer t]"},
		{"new", "config set-cluster k --certificate-authority=ca.crt --embed-certs", `Cluster "k" set`},
		{"new", "config view --raw", "certificate-authority-data: " + ca},
	} {
		if got := run(c.env, c.line); !strings.Contains(got, c.want) {
			t.Errorf("KUBECONFIG=%s kubectl %s\n%s\nlacks %q", c.env, c.line, got, c.want)
		}
	}
	if left, _ := filepath.Glob(os.TempDir() + "/kubeconfig-*"); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}
