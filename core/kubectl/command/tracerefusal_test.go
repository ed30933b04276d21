package command

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/trace"
)

// TestWhatKubectlRefuses: what a command is refused for without a request is told, and nothing of it that could be
// a secret, be it quoted, cut into pieces, or from a file.
func TestWhatKubectlRefuses(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"config": "apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts: [{name: c, context: {cluster: c, user: u}}]\n" +
			"clusters: [{name: c, cluster: {server: 'https://127.0.0.1:1'}}]\nusers: [{name: u, user: {token: CANARY}}]\n",
		"bad.yaml":  "a: b: CANARY\n",
		"kind.yaml": "apiVersion: v1\nCANARY: CANARY\n",
		"json.json": "{CANARY}",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "empty"), 0o700); err != nil {
		t.Fatal(err)
	}
	for given, want := range map[string]string{
		"create deployment nothing":                                 `required flag(s) "image" not set`,
		"create deployment --image=nginx":                           "exactly one NAME is required, got 0",
		"create deployment a b --image=nginx":                       "exactly one NAME is required, got 2",
		"create deployment d --imagee=CANARY":                       "unknown flag: --imagee",
		"create deployment d --image=nginx --replicas=many":         `invalid argument "many" for "-r, --replicas" flag: (not kept) parsing "many": invalid syntax`,
		"create deployment d --image=nginx --replicas":              "flag needs an argument: --replicas",
		"get pods -CANARY":                                          "unknown shorthand flag: 'C' in (not kept)",
		"run p --image=BAD:IMAGE:NAME":                              `Invalid image name "BAD:IMAGE:NAME": invalid reference format`,
		"create secret generic s --from-literal=CANARY":             "invalid literal source (not kept) expected (not kept)",
		"create secret generic s --from-env-file=/CANARY":           "",
		"create configmap c --from-literal=not":                     "invalid literal source (not kept) expected (not kept)",
		"config set users.x.CANARY":                                 "Unexpected args: (not kept)",
		"annotate --local -f kind.yaml a=CANARY =CANARY":            "",
		"config use-context CANARY":                                 "",
		"CANARY":                                                    `unknown command (not kept) for "kubectl"`,
		"run p --image=busybox --env=CANARY":                        "",
		"create -f bad.yaml --dry-run=client --validate=false":      "",
		"create -f json.json --dry-run=client --validate=false":     "",
		"patch --local -f kind.yaml -p CANARY":                      "",
		"create token t --bound-object-kind=CANARY":                 "",
		"create clusterrole r --verb=get --aggregation-rule=CANARY": "",
		"apply -f https://u:CANARY@127.0.0.1:1/a?CANARY":            "",
		"get pods --server=CANARY:CANARY@127.0.0.1:1":               "",
		"get pods --server=https://u:CANARY@127.0.0.1:1":            "",
		"delete -Rf empty":                                          "error reading [empty]: recognized file extensions are (not kept)",
		"get pods --token=CANARY --context=nowhere":                 "Error in configuration: context was not found for specified context: nowhere",
	} {
		bus := trace.New()
		p := &program.Process{
			Args: append([]string{"kubectl"}, strings.Fields(given)...), Dir: "/", FS: program.NewFS(dir),
			Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard,
		}
		New(Options{Kubeconfig: "/config", CacheDir: "/cache", Trace: bus})(context.Background(), p)
		steps, _ := bus.All()
		message, sent := "", false
		for i := range steps {
			if text := string(steps[i].JSON(true)); strings.Contains(text, "CANARY") || strings.Contains(text, dir) { // nor where files lie in truth
				t.Errorf("%s\n%s", given, text)
			}
			switch d := steps[i].Details.(type) {
			case *Declined:
				message = d.Message
			case *Asked:
				sent = true
			}
		}
		t.Logf("%s\n%s", given, message)
		if want != "" && message != want || message == "" && !sent {
			t.Errorf("%s\n got %s\nwant %s", given, message, want)
		}
	}
}
