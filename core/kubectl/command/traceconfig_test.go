package command

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/trace"
)

// TestConfigured: which files counted, what they and the flags come to, and by whom a certificate has to be signed;
// no credentials.
func TestConfigured(t *testing.T) {
	dir := t.TempDir()
	config := func(name, server, more string) string {
		return "apiVersion: v1\nkind: Config\ncurrent-context: of-" + name + "\n" +
			"contexts: [{name: of-" + name + ", context: {cluster: " + name + ", user: u-" + name + "}}]\n" +
			"clusters: [{name: " + name + ", cluster: {server: '" + server + "'" + more + "}}]\n" +
			"users: [{name: u-" + name + ", user: {token: CANARY}}]\n"
	}
	for name, text := range map[string]string{
		"a": config("a", "https://u:CANARY@127.0.0.1:1", ", insecure-skip-tls-verify: true"),
		"b": config("b", "https://127.0.0.1:1", ""),
		"c": config("c", "http://127.0.0.1:1", ""),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		env, line string
		want      Configured
	}{
		{"", "", Configured{Files: []string{"/a"}, Context: "of-a", Cluster: "a", User: "u-a", Server: "https://(not kept)@127.0.0.1:1", CA: "anybody: it is not checked"}},
		{"b:/a", "", Configured{Files: []string{"b", "/a"}, Context: "of-b", Cluster: "b", User: "u-b", Server: "https://127.0.0.1:1", CA: "a CA of the system"}},
		{"b:/a", " --context=of-a --user=u-b", Configured{Files: []string{"b", "/a"}, Context: "of-a", Cluster: "a", User: "u-b", Server: "https://(not kept)@127.0.0.1:1", CA: "anybody: it is not checked"}},
		{"b:/a", " --kubeconfig=c", Configured{Files: []string{"c"}, Context: "of-c", Cluster: "c", User: "u-c", Server: "http://127.0.0.1:1", CA: "nobody: the way is not encrypted", Credentials: "none"}},
	} {
		bus := trace.New()
		p := &program.Process{
			Args: strings.Fields("kubectl get --raw=/" + c.line), Env: []string{"KUBECONFIG=" + c.env}, Dir: "/", FS: program.NewFS(dir),
			Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard,
		}
		New(Options{Kubeconfig: "/a", CacheDir: "/cache", Trace: bus})(context.Background(), p)
		c.want.Agent = userAgent
		if c.want.Credentials == "" { // upstream sends no token where it could be read
			c.want.Credentials = "bearer token"
		}
		steps, _ := bus.All()
		found := false
		for i := range steps {
			if text := string(steps[i].JSON(true)); strings.Contains(text, "CANARY") {
				t.Error(text)
			}
			if d, ok := steps[i].Details.(*Configured); ok {
				if found = true; !reflect.DeepEqual(*d, c.want) {
					t.Errorf("KUBECONFIG=%s%s\n got %+v\nwant %+v", c.env, c.line, *d, c.want)
				}
			}
		}
		if !found {
			t.Errorf("KUBECONFIG=%s%s: nothing was told", c.env, c.line)
		}
	}
}
