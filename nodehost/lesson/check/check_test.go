package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/cluster"
	"github.com/tabernetes/tabernetes/core/netns"
	"github.com/tabernetes/tabernetes/core/trace"
	"github.com/tabernetes/tabernetes/nodehost/lesson"
)

func TestMain(m *testing.M) { netns.Main(m, cluster.Addresses()...) }

// lessonDir, if it is set, has a process of this test check that lesson alone: a process can hold one
// cluster only.
const lessonDir = "TABERNETES_TEST_LESSON"

// TestLessons checks ours, and scenarios in Killercoda's form, each on a cluster of its own.
func TestLessons(t *testing.T) {
	if dir := os.Getenv(lessonDir); dir != "" {
		netns.Require(t)
		if err := Run(t.Context(), Options{Dir: dir, Out: os.Stdout}); err != nil {
			t.Fatal(err)
		}
		return
	}
	names, err := filepath.Glob("../../../web/lessons/*/" + lesson.Name)
	scenarios, _ := filepath.Glob("testdata/*/index.json")
	if err != nil || len(names) == 0 || len(scenarios) == 0 {
		t.Fatalf("%d lessons, %d scenarios, %v", len(names), len(scenarios), err)
	}
	names = append(names, scenarios...)
	// Each waits for its cluster more than it works: two side by side.
	places := make(chan struct{}, 2)
	for _, name := range names {
		dir := filepath.Dir(name)
		if filepath.Base(dir) == "refused" {
			continue // TestAScenarioIsRefused
		}
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			places <- struct{}{}
			defer func() { <-places }()
			err := alone(t, dir)
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// alone checks a lesson in a process of its own.
func alone(t *testing.T, dir string) error {
	one := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestLessons$", "-test.v")
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "TABERNETES_NETNS=") { // a network of its own
			one.Env = append(one.Env, kv)
		}
	}
	one.Env = append(one.Env, lessonDir+"="+dir)
	var stdout bytes.Buffer
	one.Stdout = &stdout
	err := one.Run()
	t.Logf("%s", stdout.Bytes())
	return err
}

// TestALessonIsShutIn: kubectl opens files and starts programs that a kubeconfig, a kustomization or a flag names. A
// lesson that tries finds none of the machine's, and the check leaves nothing there.
func TestALessonIsShutIn(t *testing.T) {
	if os.Getenv(lessonDir) != "" {
		t.Skip("a process of TestLessons")
	}
	netns.Require(t)
	dir, machine := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"program":            "#!/bin/sh\ntouch " + machine + "/ran\necho '{}'\n",
		"secret.yaml":        "{apiVersion: v1, kind: ConfigMap, metadata: {name: secret}}\n",
		"kustomization.yaml": "resources: [secret.yaml]\n",
	} {
		if err := os.WriteFile(filepath.Join(machine, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	up := strings.Repeat("../", 20) + strings.TrimPrefix(machine, "/")
	text := "---\ntitle: A hostile lesson\nnodes: 1\n---\n## A\n"
	for _, line := range []string{
		"kubectl config set-credentials x --exec-command=" + machine + "/program --exec-api-version=client.authentication.k8s.io/v1 --exec-interactive-mode=Never; kubectl --user=x get ns",
		"kubectl config set-cluster x --server=https://127.0.0.1:1; kubectl config set clusters.x.certificate-authority " + machine + "/secret.yaml; kubectl config view --flatten --raw",
		"mkdir a; echo 'resources: [" + up + "]' > a/kustomization.yaml; kubectl kustomize a",
		"mkdir b; echo 'configMapGenerator: [{name: x, files: [" + up + "/secret.yaml]}]' > b/kustomization.yaml; kubectl kustomize b --load-restrictor=LoadRestrictionsNone",
		"mkdir c; echo 'helmCharts: [{name: x, repo: https://127.0.0.1:1, releaseName: x}]' > c/kustomization.yaml; kubectl kustomize c --enable-helm --helm-command=" + machine + "/program",
		"mkdir d; touch d/kustomization.yaml; kubectl kustomize d -o " + machine + "/written",
		"kubectl create -Rf " + machine + "/secret.yaml --dry-run=client -o yaml",
		"kubectl config view -ogo-template-file=" + machine + "/secret.yaml",
		"kubectl proxy --unix-socket=" + machine + "/socket",
	} {
		text += "```shell exit=1\n" + line + "\n```\n"
	}
	if err := os.WriteFile(filepath.Join(dir, lesson.Name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	if err := alone(t, dir); err != nil {
		t.Error(err)
	}
	for where, want := range map[string]int{machine: 3, temporary: 0} {
		if found, err := os.ReadDir(where); err != nil || len(found) != want {
			t.Errorf("%s has %v, %v", where, found, err)
		}
	}
}

// A scenario that wants what is not here is refused before anything runs, with file, line and word.
func TestAScenarioIsRefused(t *testing.T) {
	err := Read("testdata/refused")
	if err == nil {
		t.Fatal("it was read")
	}
	for _, want := range []string{
		`testdata/refused/init.sh:3: "apt-get" is not here`,
		`testdata/refused/one.md:5: "helm" is not here: `,
		`testdata/refused/one.md:8: {{TRAFFIC_HOST1_8080}} is not here`,
		`testdata/refused/verify.sh:2: "docker" is not here`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v\n\nlacks %q", err, want)
		}
	}
}

func TestChecks(t *testing.T) {
	if os.Getenv(lessonDir) != "" {
		t.Skip("a process of TestLessons")
	}
	netns.Require(t)
	bus := trace.New()
	terminal, err := start(t.Context(), t.TempDir(), 1, bus)
	if err != nil {
		t.Fatal(err)
	}
	on := runner{terminal: terminal, trace: bus}
	t.Run("what is not as the lesson says", func(t *testing.T) { wrong(t, on) })
	t.Run("a hostile lesson", func(t *testing.T) { hostile(t, on) })
}

func inLesson(line int) string { return fmt.Sprintf("lesson.md:%d", line) }

func run(t *testing.T, on runner, steps string) (string, error) {
	t.Helper()
	l, problems := lesson.Parse([]byte("---\ntitle: T\n---\n" + steps))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var out bytes.Buffer
	r := &runner{where: inLesson, terminal: on.terminal, trace: on.trace, out: &out}
	err := r.lesson(t.Context(), l)
	return out.String(), err
}

// wrong holds file, line, what was expected and what came.
func wrong(t *testing.T, on runner) {
	block := func(info, text string) string { return fmt.Sprintf("## A\n\n```%s\n%s\n```\n", info, text) }
	for _, c := range []struct {
		name, lesson string
		want         []string // nil: nothing is wrong
	}{
		{"an exit code", block("shell", "echo said; false"), []string{"lesson.md:6: run \"echo said; false\": it ended with exit code 1, 0 was expected", "said"}},
		{"the exit code that was meant", block("shell exit=1", "false"), nil},
		{"any exit code", block("shell exit=any", "exit 7"), nil},
		{"output", block("shell", "echo a; echo b") + "```output\na\nc\n```\n", []string{":6: ", `"c" was to come after 1 lines`, "expected:\n    a\n    c", "it printed:\n    a\n    b"}},
		{"output as it is", block("shell", "echo 'a  7d-x'; echo b >&2") + "```output\na …-x\n```\n", nil},
		{"a wait", block(`shell until="pod/nobody Ready" timeout=1`, "true"), []string{":6: ", `until="pod/nobody condition=Ready" has not come`, "NotFound"}},
		{"a check", block(`check timeout=1 title="It is so"`, "false"), []string{":6: check \"It is so\"", "exit code 1"}},
		{"an expression that is false", block(`cel object="ns/default" timeout=1`, `object.status.phase == "Gone"`), []string{":6: cel", "ended with exit code 1: false"}},
		{"an expression that is true", block(`cel object="ns/default"`, `object.status.phase == "Active"`), nil},
		{"an expression that is none", block(`cel object="ns/default" timeout=1`, `object.`), []string{":6: ", "read the expression"}},
		{"a check that checks nothing", block("solution", "true") + "```check\ntrue\n```\n", []string{":9: ", "every check of this step passes before"}},
		{"a check that checks something", block("solution", "kubectl create ns made") + "```check\nkubectl get ns made\n```\n", nil},
		{"what comes at last", block("shell prepare", "echo 0 > n") + "```shell eventually\necho x >> n; wc -l < n\n```\n```output\n3\n```\n", nil},
		{"a manifest", block("yaml apply", "{apiVersion: v1, kind: ConfigMap, metadata: {name: UPPER}}"), []string{":6: apply", "UPPER"}},
		{"a reset that leaves something", block("shell", "kubectl create ns twice") + "```shell reset\ntrue\n```\n", []string{":6: ", "AlreadyExists", "after the step was made anew"}},
		{"a reset", block("shell", "kubectl create ns thrice") + "```shell reset\nkubectl delete ns thrice\n```\n", nil},
		{"what the last command set off", block("shell", "kubectl create ns traced; kubectl get ns traced") + "```trace\n```\n```trace\nkubectl.request\netcd.put namespaces\n```\n", nil},
		{"a command that was turned back", block("shell exit=1", "kubectl create ns Traced") + "```trace timeout=5\nvalidation.refused\n```\n", nil},
		{"what no command set off", block("shell", "kubectl create ns traced-too") + "```trace timeout=1\netcd.put namespaces\netcd.delete namespaces\n```\n", []string{":9: trace \"etcd.put namespaces …\": the last command has set off no etcd.delete namespaces", "it printed:\n    kubectl.command"}},
		{"a step that none is", block("shell", "kubectl create ns traced-three") + "```trace\netcd.putt\n```\n", []string{":9: no step of a trace is called \"etcd.putt\""}},
		{"a trace that checks nothing", "## A\n```solution\ntrue\n```\n```trace\netcd.put\n```\n", []string{":8: ", "every check of this step passes before"}},
		{"variables stay", block("shell", "x=1") + "```shell\ntest $x = 1\n```\n", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := run(t, on, c.lesson)
			if c.want == nil {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil {
				t.Fatal("nothing was found")
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v\n\nlacks %q", err, want)
				}
			}
		})
	}
}

// hostile commands reach nothing of the machine, and end.
func hostile(t *testing.T, on runner) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("of the machine"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"cat " + secret, "cd ../../../../../..; cat ." + secret, "ln -s " + secret + " s && cat s", "kubectl apply -f " + secret,
		"curl -s file://" + secret, "wget -qO- http://127.0.0.1:1", "bash -c 'cat " + secret + "'", "kill -9 1",
	} {
		_, err := run(t, on, "## A\n```shell\n"+line+"\n```\n")
		if err == nil || strings.Contains(err.Error(), "of the machine") {
			t.Errorf("%s: %v", line, err)
		}
	}
	_, err := run(t, on, "## A\n```shell\nyes | head -c 3000000; false\n```\n")
	if err == nil || len(err.Error()) > 4*maxQuoted {
		t.Errorf("an error of %d bytes", len(err.Error()))
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("stopped"))
	r := &runner{where: inLesson, terminal: on.terminal, out: os.Stdout}
	l, _ := lesson.Parse([]byte("---\ntitle: T\n---\n## A\n```shell\nwhile :; do :; done\n```\n"))
	if err := r.lesson(ctx, l); err == nil {
		t.Error("a loop without end ended well")
	}
}
