package kubectl_test

import (
	"bytes"
	"context"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/kubectl"
	"github.com/tabernetes/tabernetes/core/program"
)

// buffer is an output that a test reads while it is written.
type buffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// waitFor waits until the buffer holds what matches.
func (b *buffer) waitFor(t *testing.T, pattern string) {
	t.Helper()
	re := regexp.MustCompile(pattern)
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if re.MatchString(b.String()) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("no %q in:\n%s", pattern, b.String())
		}
	}
}

// typed runs a line and gives what it prints.
func typed(t *testing.T, s *kubectl.Session, line string) (stdout, stderr string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var out, errOut buffer
	code = s.Run(ctx, line, kubectl.Streams{Stdout: &out, Stderr: &errOut})
	return out.String(), errOut.String(), code
}

// pod starts a pod of busybox that runs a shell command, and waits until it is ready.
func pod(t *testing.T, s *kubectl.Session, name, command string) {
	t.Helper()
	for _, line := range []string{
		"kubectl run " + name + " --image=busybox --restart=Never -- sh -c '" + command + "'",
		"kubectl wait --for=condition=Ready pod/" + name + " --timeout=60s",
	} {
		if out, errOut, code := typed(t, s, line); code != 0 {
			t.Fatalf("%s: exit code %d\n%s%s", line, code, out, errOut)
		}
	}
	t.Cleanup(func() {
		s.Run(context.WithoutCancel(t.Context()), "kubectl delete pod "+name+" --now --wait=false", kubectl.Streams{})
	})
}

func TestSessionKeepsItsState(t *testing.T) {
	term, _ := newTerminal(t)
	s := term.Session("a")
	for _, step := range []struct {
		line, stdout string
		code         int
	}{
		{"ns=kube-system; f() { echo got $1; }; mkdir -p work && cd work", "", 0},
		{"pwd; echo $ns; f it", "/home/u/work\nkube-system\ngot it\n", 0},
		{"k get namespace $ns -o name | tr a-z A-Z", "NAMESPACE/KUBE-SYSTEM\n", 0},
		{"kubectl get nosuchthing 2>&1 | head -1; false || echo $?", "error: the server doesn't have a resource type \"nosuchthing\"\n1\n", 0},
		{"kubectl get pod nosuch", "", 1},
		{"kubectl cp nosuch:/a b", "", 1}, // fails in a goroutine of upstream's
		{"echo 'resources: [a.yaml]' > kustomization.yaml; echo '{apiVersion: v1, kind: Node, metadata: {name: a}}' > a.yaml; kubectl kustomize; kubectl kustomize . | wc -l", "apiVersion: v1\nkind: Node\nmetadata:\n  name: a\n4\n", 0},
		{"kubectl config view -o jsonpath='{.current-context}'", "kubernetes-admin@kubernetes", 0},
		{"rm -r ~/.kube; kubectl get ns default -o name; ls ~/.kube", "namespace/default\ncache\nconfig\n", 0},
		{"kubectl auth can-i create pods; kubectl auth can-i create pods --as=nobody", "yes\nno\n", 1},
		{"exit 3", "", 3},
		{"echo \"[$ns]\"; pwd", "[]\n/home/u\n", 0},
	} {
		out, errOut, code := typed(t, s, step.line)
		if out != step.stdout || code != step.code {
			t.Errorf("%s\nprints %q and exits with %d, want %q and %d; stderr:\n%s", step.line, out, code, step.stdout, step.code, errOut)
		}
	}
	if out, _, _ := typed(t, term.Session("b"), "echo [$ns]"); out != "[]\n" {
		t.Errorf("another session sees %q", out)
	}
}

func TestFilesOfTheSession(t *testing.T) {
	term, _ := newTerminal(t)
	s := term.Session("a")
	for _, step := range []struct{ line, match string }{
		{`mkdir -p ~/d /abs && cd ~/d && kubectl create configmap one --from-literal=k=v --dry-run=client -o yaml > one.yaml; cat one.yaml`, "name: one"},
		{"kubectl apply -f one.yaml", "^configmap/one created\n$"},
		{"kubectl apply -f .", "^configmap/one unchanged\n$"},
		{"cp one.yaml /abs/two.yaml; sed -i s/one/two/ /abs/two.yaml; kubectl apply -f /abs/two.yaml", "^configmap/two created\n$"},
		{"cat one.yaml | kubectl apply -f -", "^configmap/one unchanged\n$"},
		{"kubectl create secret generic file --from-file=one.yaml --from-file=key=/abs/two.yaml; kubectl get secret file -o jsonpath='{.data}'", `"key":"[^"]+","one.yaml":"`},
		{"echo '{.metadata.name}' > t; kubectl get cm one -o jsonpath-file=t", "^one\n?$"},
		{"kubectl delete -f one.yaml,/abs/two.yaml; kubectl delete secret file", `configmap "two" deleted`},
		{"kubectl config set-context --current --namespace=kube-system; kubectl config view --minify -o jsonpath={..namespace}", "kube-system$"},
	} {
		out, errOut, code := typed(t, s, step.line)
		if code != 0 || !regexp.MustCompile(step.match).MatchString(out) {
			t.Errorf("%s\nprints %q and exits with %d, want %q; stderr:\n%s", step.line, out, code, step.match, errOut)
		}
	}
	_, errOut, code := typed(t, s, "kubectl apply -f missing.yaml")
	if code != 1 || !strings.Contains(errOut, `the path "missing.yaml" does not exist`) {
		t.Errorf("a missing file: exit code %d, %s", code, errOut)
	}
}

func TestInterrupt(t *testing.T) {
	term, _ := newTerminal(t)
	s := term.Session("a")
	pod(t, s, "talker", "while true; do echo tick; sleep 1; done")
	for _, line := range []string{
		"kubectl get pods -w",
		"kubectl logs -f talker",
		"kubectl exec talker -- sh -c \"echo on; sleep 1000\"",
		"kubectl wait --for=delete pod/talker --timeout=100s & echo started; fg",
		"while true; do echo loop; sleep 0.1; done",
		"kubectl port-forward talker 18080:80",
	} {
		t.Run(line, func(t *testing.T) {
			signals := make(chan program.Signal, 1)
			var out, errOut buffer
			code := make(chan int, 1)
			go func() {
				code <- s.Run(t.Context(), line, kubectl.Streams{Stdout: &out, Stderr: &errOut, Signals: signals})
			}()
			out.waitFor(t, ".")
			if got, _, _ := typed(t, term.Session("other"), "echo free"); got != "free\n" {
				t.Errorf("another session is blocked")
			}
			signals <- program.SIGINT
			select {
			case got := <-code:
				if got != 130 {
					t.Errorf("exit code %d, want 130; stderr:\n%s", got, errOut.String())
				}
			case <-time.After(10 * time.Second):
				t.Fatalf("ctrl-c does not end it; stdout %q, stderr %q", out.String(), errOut.String())
			}
			if out, _, _ := typed(t, s, "echo next"); out != "next\n" {
				t.Errorf("the next line prints %q", out)
			}
		})
	}
}

// fakeTerminal is a terminal of 100 columns.
type fakeTerminal struct {
	mu      sync.Mutex
	raw     []bool
	cols    int
	resized chan struct{}
}

func (f *fakeTerminal) Size() (int, int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.cols, 30
}

func (f *fakeTerminal) Raw(on bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.raw = append(f.raw, on)
}

func (f *fakeTerminal) Resized() <-chan struct{} { return f.resized }

func TestExecOnATerminal(t *testing.T) {
	term, _ := newTerminal(t)
	s := term.Session("a")
	pod(t, s, "shellpod", "sleep 1000")
	keys, typist := io.Pipe()
	terminal := &fakeTerminal{cols: 100, resized: make(chan struct{}, 1)}
	var out, errOut buffer
	code := make(chan int, 1)
	go func() {
		code <- s.Run(t.Context(), "kubectl exec -it shellpod -- sh; echo back $?", kubectl.Streams{
			Stdin: keys, Stdout: &out, Stderr: &errOut, Terminal: terminal, Signals: make(chan program.Signal),
		})
	}()
	out.waitFor(t, `\$ `)
	io.WriteString(typist, "echo one$((1+1))\r")
	out.waitFor(t, `one2\r?\n`)
	io.WriteString(typist, "ehco\x7f\x7f\x7f\x7fecho \x1b[D edited\r") // erase, cursor left
	out.waitFor(t, `edited\r?\n`)
	io.WriteString(typist, "sleep 1000\r")
	time.Sleep(300 * time.Millisecond)
	io.WriteString(typist, "\x03")
	io.WriteString(typist, "echo after $?\r")
	out.waitFor(t, `after 130\r?\n`)
	io.WriteString(typist, "\x1b[A\x1b[A\r") // history: sleep 1000
	time.Sleep(300 * time.Millisecond)
	io.WriteString(typist, "\x03exit 7\r")
	out.waitFor(t, `back 7\n`)
	if got := <-code; got != 0 {
		t.Errorf("exit code %d; stderr:\n%s", got, errOut.String())
	}
	if terminal.mu.Lock(); !slices.Equal(terminal.raw, []bool{true, false}) {
		t.Errorf("raw mode: %v", terminal.raw)
	}
	terminal.mu.Unlock()
	go io.WriteString(typist, "typed ahead\n")
	var again buffer
	s.Run(t.Context(), "read line; echo [$line]", kubectl.Streams{Stdin: keys, Stdout: &again})
	if again.String() != "[typed ahead]\n" {
		t.Errorf("input after exec: %q", again.String())
	}
}

func TestRunOnATerminal(t *testing.T) {
	term, _ := newTerminal(t)
	keys, typist := io.Pipe()
	terminal := &fakeTerminal{cols: 117, resized: make(chan struct{}, 1)}
	var out, errOut buffer
	code := make(chan int, 1)
	go func() {
		code <- term.Session("a").Run(t.Context(), "kubectl run -it --rm visitor --image=busybox --restart=Never -- sh", kubectl.Streams{
			Stdin: keys, Stdout: &out, Stderr: &errOut, Terminal: terminal,
		})
	}()
	errOut.waitFor(t, "try pressing enter")
	go io.WriteString(typist, "\r") // the shell's first prompt came before anyone was attached
	out.waitFor(t, `\$ `)
	io.WriteString(typist, "echo one$((1+1))\r")
	out.waitFor(t, `one2\r?\n`)
	io.WriteString(typist, "exit 5\r")
	select {
	case got := <-code:
		if got != 5 || strings.Contains(errOut.String(), "Unable to use a TTY") {
			t.Errorf("exit code %d, want 5; stderr:\n%s", got, errOut.String())
		}
	case <-time.After(30 * time.Second):
		t.Fatalf("it does not end; stdout %q, stderr %q", out.String(), errOut.String())
	}
	if !strings.Contains(out.String(), `pod "visitor" deleted`) {
		t.Errorf("--rm did not delete the pod: %q", out.String())
	}
}

// TestRunOfAShortCommand: what a command prints, is printed once, and without a warning.
func TestRunOfAShortCommand(t *testing.T) {
	term, _ := newTerminal(t)
	out, errOut, code := typed(t, term.Session("a"), "kubectl run -i --rm short --image=busybox --restart=Never -- echo over at once < /dev/null")
	if code != 0 || strings.Count(out, "over at once\n") != 1 || strings.Contains(errOut, "warning") {
		t.Errorf("exits with %d, prints %q, says %q", code, out, errOut)
	}
}

func TestExecExitCodesAndStreams(t *testing.T) {
	term, _ := newTerminal(t)
	s := term.Session("a")
	pod(t, s, "worker", "sleep 1000")
	for _, step := range []struct {
		line, stdout, stderr string
		code                 int
	}{
		{"kubectl exec worker -- sh -c 'echo out; echo err >&2; exit 42'", "out\n", "err\ncommand terminated with exit code 42\n", 42},
		{"echo through | kubectl exec -i worker -- cat", "through\n", "", 0},
		{"seq 100000 | kubectl exec -i worker -- wc -l", "100000\n", "", 0},
		{"kubectl exec -it worker -- echo hi < /dev/null", "hi\n", "Unable to use a TTY - input is not a terminal or the right kind of file\n", 0},
	} {
		out, errOut, code := typed(t, s, step.line)
		if out != step.stdout || errOut != step.stderr || code != step.code {
			t.Errorf("%s\nprints %q, %q and exits with %d, want %q, %q and %d", step.line, out, errOut, code, step.stdout, step.stderr, step.code)
		}
	}
}

func TestVerbosityIsTheCommandsOwn(t *testing.T) {
	term, _ := newTerminal(t)
	_, errOut, code := typed(t, term.Session("a"), "kubectl get ns -v=8")
	for _, want := range []string{`verb="GET" url="https://`, "/api/v1/namespaces?limit=500", "Response Body", `status="200 OK"`} {
		if code != 0 || !strings.Contains(errOut, want) {
			t.Errorf("-v=8 prints no %q:\n%s", want, errOut)
		}
	}
	if _, errOut, _ = typed(t, term.Session("a"), "kubectl get ns"); errOut != "" {
		t.Errorf("the next command prints %s", errOut)
	}
}

// hostileRole makes a ClusterRole whose name is a shell's line.
func hostileRole(t *testing.T, s *kubectl.Session) {
	t.Helper()
	out, errOut, code := typed(t, s, "kubectl create clusterrole 'x;reboot' --verb=get --resource=pods")
	if code != 0 {
		t.Fatalf("%s%s", out, errOut)
	}
	t.Cleanup(func() {
		s.Run(context.WithoutCancel(t.Context()), "kubectl delete clusterrole 'x;reboot'", kubectl.Streams{})
	})
}

// What is run as a program with arguments meets no shell, whatever its arguments say.
func TestExecTakesArgumentsAsTheyAre(t *testing.T) {
	term, _ := newTerminal(t)
	s := term.Session("a")
	hostileRole(t, s)
	for _, test := range []struct {
		args []string
		want string
		code int
	}{
		{[]string{"kubectl", "describe", "clusterrole/x;reboot"}, "Name:         x;reboot\n", 0},
		{[]string{"echo", "$(reboot)", "a;b", "*", ">x"}, "$(reboot) a;b * >x\n", 0},
		{[]string{"no such;program"}, "\"no such;program\" is no program of this terminal\n", 127},
	} {
		var out buffer
		code := s.Exec(t.Context(), test.args, kubectl.Streams{Stdout: &out, Stderr: &out})
		if code != test.code || !strings.HasPrefix(out.String(), test.want) {
			t.Errorf("%q: code %d, %q; want %d, %q", test.args, code, out.String(), test.code, test.want)
		}
	}
}

func TestComplete(t *testing.T) {
	term, fsys := newTerminal(t)
	s := term.Session("a")
	if err := fsys.WriteFile("/home/u/manifest.yaml", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	pair(t, s)
	hostileRole(t, s)
	if _, words := s.Complete(t.Context(), "kubectl desc", 12); len(words) != 1 || words[0].Help == "" {
		t.Errorf("no help beside %v", words)
	}
	for _, test := range []struct {
		line string // the cursor is at its end
		from int
		want []string // all of these; the only ones with an empty one in front
	}{
		{"kub", 0, []string{"kubectl"}},
		{"kubectl desc", 8, []string{"", "describe"}},
		{"k get no", 6, []string{"nodes"}},
		{"kubectl get nodes node-", 18, []string{"", "node-1"}},
		{"echo x | kubectl -n kube-s", 20, []string{"", "kube-system"}},
		{"kubectl get pods --out", 17, []string{"--output"}},
		{"kubectl get pods -o js", 20, []string{"json", "jsonpath"}},
		{"kubectl apply -f man", 17, []string{"", "manifest.yaml"}},
		{"cat man", 4, []string{"", "manifest.yaml"}},
		{"kubectl get ns > man", 17, []string{"", "manifest.yaml"}},
		{"ls /", 3, []string{"/home/", "/tmp/"}},
		{"kubectl logs pair -c ", 21, []string{"", "left", "right"}},
		{"kubectl exec pair -c ri", 21, []string{"", "right"}},
		{"kubectl describe pod pa", 21, []string{"", "pair"}},
		{"kubectl describe clusterrole x", 29, []string{"", "'x;reboot'"}},
		{"kubectl describe clusterrole 'x;", 29, []string{"", "'x;reboot'"}},
		{"kubectl describe clusterrole x;ech", 31, []string{"echo"}},
		{"kubectl get pods --field-s", 17, []string{"", "--field-selector"}},
	} {
		from, offered := s.Complete(t.Context(), test.line, len(test.line))
		var words []string
		for _, w := range offered {
			words = append(words, w.Text)
		}
		if from != test.from {
			t.Errorf("%q: completes from %d, want %d (%q)", test.line, from, test.from, words)
		}
		only := len(test.want) > 0 && test.want[0] == ""
		if only && !slices.Equal(words, test.want[1:]) {
			t.Errorf("%q: %q, want %q", test.line, words, test.want[1:])
		}
		for _, want := range test.want {
			if want != "" && !slices.Contains(words, want) {
				t.Errorf("%q: no %q in %q", test.line, want, words)
			}
		}
	}
}

// BenchmarkGetPods is what a warm `kubectl get pods` costs beside the apiserver.
func BenchmarkGetPods(b *testing.B) {
	term, _ := newTerminal(b)
	s := term.Session("a")
	for b.Loop() {
		if code := s.Run(b.Context(), "kubectl get pods", kubectl.Streams{}); code != 0 {
			b.Fatalf("exit code %d", code)
		}
	}
}

// BenchmarkTree is the part of it that builds upstream's tree of commands.
func BenchmarkTree(b *testing.B) {
	term, _ := newTerminal(b)
	s := term.Session("a")
	for b.Loop() {
		s.Run(b.Context(), "kubectl version --client", kubectl.Streams{})
	}
}
