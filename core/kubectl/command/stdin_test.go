package command

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/program"
)

// TestStandardInputOfSeveralCommands: each has its own, however long another one takes.
func TestStandardInputOfSeveralCommands(t *testing.T) {
	before := os.Stdin
	var done []func()
	for _, c := range []struct{ typed, before, after string }{
		{"apply -f -", "apply -f ", ""},
		{"delete --filename=- --wait", "delete --filename=", " --wait"},
		{"apply -f- -n x", "apply -f", " -n x"},
		{"diff --filename -", "diff --filename ", ""},
		{"apply -Rf -", "apply -Rf ", ""},
		{"apply -Rf-", "apply -Rf", ""},
	} {
		f := pathsOf(&program.Process{FS: program.NewFS(t.TempDir()), Dir: "/", Stdin: strings.NewReader(c.typed)})
		_, args, end, err := f.stdin(strings.Fields(c.typed))
		if err != nil {
			t.Fatal(err)
		}
		done = append(done, end) // none has ended when the next one begins
		got := strings.Join(args, " ")
		name, ok := strings.CutPrefix(got, c.before)
		name, ok2 := strings.CutSuffix(name, c.after)
		if text, err := os.ReadFile(name); !ok || !ok2 || err != nil || string(text) != c.typed {
			t.Errorf("%s became %s, which has %q (%v)", c.typed, got, text, err)
		}
		if line := f.asTyped(got); line != c.before+"-"+c.after {
			t.Errorf("%s is traced as %s", c.typed, line)
		}
		var said strings.Builder
		io.WriteString(f.messages(&said), `error: error parsing `+name+`: bad`)
		if said.String() != "error: error parsing STDIN: bad" {
			t.Errorf("%s says %q", c.typed, said.String())
		}
	}
	if os.Stdin != before {
		t.Error("the process's standard input is another one")
	}
	for _, end := range done {
		end()
	}
	for _, typed := range []string{"exec web -- cat -f -", "logs -f web", "apply -f web.yaml", "cp - x"} {
		f := pathsOf(&program.Process{FS: program.NewFS(t.TempDir()), Dir: "/", Stdin: strings.NewReader("x")})
		if _, args, _, _ := f.stdin(strings.Fields(typed)); strings.Join(args, " ") != typed {
			t.Errorf("%s became %v", typed, args)
		}
	}
}

// TestKubeconfigIsAList, as upstream has it (k8s.io/client-go/tools/clientcmd, RecommendedConfigPathEnvVar):
// what is read comes from all of them, what is changed goes to the one that has it.
func TestKubeconfigIsAList(t *testing.T) {
	root := t.TempDir()
	contexts := func(name string) string {
		return "apiVersion: v1\nkind: Config\ncontexts:\n- name: " + name + "\n  context: {cluster: " + name + ", user: u}\n"
	}
	for name, text := range map[string]string{"a": contexts("one"), "b": contexts("two")} {
		if err := os.WriteFile(root+"/"+name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	kubectl := New(Options{Kubeconfig: "/usual", CacheDir: "/cache"})
	run := func(env, line string) string {
		var out strings.Builder
		code := kubectl(t.Context(), &program.Process{
			Args: append([]string{"kubectl"}, strings.Fields(line)...), Env: []string{"KUBECONFIG=" + env},
			FS: program.NewFS(root), Dir: "/", Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out,
		})
		if code != 0 {
			t.Errorf("%s: exit code %d: %s", line, code, out.String())
		}
		return out.String()
	}
	if got := run("a:/missing/file::b:a", "config get-contexts -o name"); got != "one\ntwo\n" {
		t.Errorf("the list has %q", got)
	}
	run("a:b", "config set-context two --namespace=changed")
	if got := run("b", "config view -o jsonpath={.contexts[0].context.namespace}"); got != "changed" {
		t.Errorf("the second file has %q", got)
	}
	if got := run("a", "config get-contexts -o name"); got != "one\n" {
		t.Errorf("the first file has %q", got)
	}
}
