package kubectl_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/kubectl"
	"github.com/tabernetes/tabernetes/core/program"
)

// screen is a terminal with a person at it who edits files as edits says.
type screen struct {
	edits func(name, text string) (string, bool)
}

var (
	_ program.Terminal = screen{}
	_ kubectl.Editor   = screen{}
)

func (screen) Size() (int, int)         { return 80, 24 }
func (screen) Raw(bool)                 {}
func (screen) Resized() <-chan struct{} { return nil }
func (s screen) Edit(_ context.Context, name, text string) (string, bool, error) {
	after, saved := s.edits(name, text)
	return after, saved, nil
}

// at runs a line at a terminal and gives everything it shows.
func at(t *testing.T, s *kubectl.Session, terminal screen, line string) (shown string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var out buffer
	code = s.Run(ctx, line, kubectl.Streams{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out, Terminal: terminal})
	return out.String(), code
}

// pair makes a pod of two containers.
func pair(t *testing.T, s *kubectl.Session) {
	t.Helper()
	line := `kubectl apply -f - <<EOF
{"apiVersion":"v1","kind":"Pod","metadata":{"name":"pair"},"spec":{"terminationGracePeriodSeconds":0,"containers":[
  {"name":"left","image":"busybox","command":["sh","-c","echo from the left; sleep 1000"]},
  {"name":"right","image":"busybox","command":["sleep","1000"]}]}}
EOF
kubectl wait --for=condition=Ready pod/pair --timeout=60s`
	if out, errOut, code := typed(t, s, line); code != 0 {
		t.Fatalf("pair: exit code %d\n%s%s", code, out, errOut)
	}
	t.Cleanup(func() {
		s.Run(context.WithoutCancel(t.Context()), "kubectl delete pod pair --now", kubectl.Streams{})
	})
}

func TestLogsSayWhichContainerTheyAreOf(t *testing.T) {
	term, _ := newTerminal(t)
	s := term.Session("a")
	pair(t, s)
	out, errOut, code := typed(t, s, "kubectl logs pair")
	if code != 0 || out != "from the left\n" || errOut != "Defaulted container \"left\" out of: left, right\n" {
		t.Errorf("logs pair: exit code %d, %q, %q", code, out, errOut)
	}
	out, errOut, _ = typed(t, s, "kubectl logs pair -c left; kubectl logs pair --all-containers --prefix")
	if errOut != "" || !strings.Contains(out, "[pod/pair/left] from the left") {
		t.Errorf("%q, %q", out, errOut)
	}
}

func TestDiff(t *testing.T) {
	term, _ := newTerminal(t)
	s := term.Session("a")
	typed(t, s, "kubectl create configmap compared --from-literal=k=old")
	t.Cleanup(func() {
		s.Run(context.WithoutCancel(t.Context()), "kubectl delete configmap compared", kubectl.Streams{})
	})
	out, errOut, code := typed(t, s, `kubectl get configmap compared -o yaml > c.yaml; kubectl diff -f c.yaml && sed -i s/old/new/ c.yaml; kubectl diff -f c.yaml`)
	if code != 1 || !strings.Contains(out, "\n-  k: old\n+  k: new\n") || !strings.HasPrefix(out, "diff -u -N ") {
		t.Errorf("exit code %d\n%s%s", code, out, errOut)
	}
	out, _, code = typed(t, s, "printf '1\\n2\\n' > a; printf '1\\n3\\n' > b; diff -u a b; diff a a")
	if code != 0 || !strings.Contains(out, "@@ -1,2 +1,2 @@\n 1\n-2\n+3\n") {
		t.Errorf("the tool: exit code %d\n%s", code, out)
	}
}

func TestHistory(t *testing.T) {
	term, _ := newTerminal(t)
	s := term.Session("a")
	typed(t, s, "echo nobody typed this")
	at(t, s, screen{}, "echo one")
	at(t, s, screen{}, "echo \x1b[2J; "+strings.Repeat("x", 5000))
	at(t, s, screen{}, "true \x1b[2J")
	if shown, code := at(t, s, screen{}, "history"); code != 0 || shown != "    1  echo one\n    2  true [2J\n    3  history\n" {
		t.Errorf("%d, %q", code, shown)
	}
	for range 600 {
		at(t, s, screen{}, ":")
	}
	if shown, _ := at(t, s, screen{}, "history 2 | cat"); shown != "  603  :\n  604  history 2 | cat\n" {
		t.Errorf("%q", shown)
	}
	if shown, code := at(t, s, screen{}, "history x; history -c; history"); code != 0 || shown != "history: x: numeric argument required\n" {
		t.Errorf("%d, %q", code, shown)
	}
	if shown, _ := at(t, term.Session("b"), screen{}, "history"); shown != "    1  history\n" {
		t.Errorf("another session's: %q", shown)
	}
}

func TestNewcomersAreAnswered(t *testing.T) {
	term, _ := newTerminal(t)
	s := term.Session("a")
	for line, answer := range map[string]string{
		"docker ps":              "kubectl get pods -A",
		"docker exec -it web sh": "kubectl exec -it POD -- sh",
		"minikube start":         "kubectl get nodes",
		"apt-get install vim":    "nothing can be installed",
		"kubectl run --image=nginx --replicas=3 --port=80 --expose": "kubectl run nginx --image=nginx --replicas=3 --port=80 --expose",
		"kubectl run --image=example.org/web:1":                     "kubectl run web --image=example.org/web:1",
		"k list pods":                                               "kubectl get pods -A",
		"sudo kubectl get nosuchthing":                              "the server doesn't have a resource type",
		"kubectl restart deployment nginx":                          "kubectl rollout restart deployment NAME",
		"kubectl ps -n kube-system":                                 "kubectl get pods -A",
		"kubectl run --image=$'a\\e[2J' --env='A=b c'":              `kubectl run $'a\x1b[2J' $'--image=a\x1b[2J' '--env=A=b c'`,
	} {
		if shown, code := at(t, s, screen{}, line); code == 0 || !strings.Contains(shown, answer) {
			t.Errorf("%s: exit code %d, no %q in\n%s", line, code, answer, shown)
		}
	}
	if _, errOut, _ := typed(t, s, "kubectl run --image=nginx --replicas=3"); strings.Contains(errOut, "kubectl run nginx") {
		t.Errorf("a script is given a hint: %s", errOut)
	}
}

// Every course looks for the control plane's pods.
func TestWhereTheControlPlaneIs(t *testing.T) {
	term, _ := newTerminal(t)
	s := term.Session("a")
	for _, line := range []string{"kubectl get pods -n kube-system", "k get po --namespace=kube-system -o wide"} {
		shown, code := at(t, s, screen{}, line)
		if code != 0 || !strings.Contains(shown, "part of this tab") || !strings.Contains(shown, "kubectl get componentstatuses") {
			t.Errorf("%s: exit code %d\n%s", line, code, shown)
		}
	}
	if shown, _ := at(t, s, screen{}, "kubectl get pods -n kube-public"); strings.Contains(shown, "this tab") {
		t.Errorf("of another namespace: %s", shown)
	}
	if _, errOut, _ := typed(t, s, "kubectl get pods -n kube-system"); strings.Contains(errOut, "this tab") {
		t.Errorf("a script is told: %s", errOut)
	}
}

func TestRequestsAreShownInColour(t *testing.T) {
	term, _ := newTerminal(t)
	s := term.Session("a")
	shown, code := at(t, s, screen{}, "kubectl get ns default -v=8 -o name")
	if code != 0 || !strings.Contains(shown, "\x1b[33m\"GET\"\x1b[0m") || !strings.Contains(shown, "\x1b[32m\"200 OK\"") {
		t.Errorf("exit code %d\n%q", code, shown)
	}
	if shown, _ := at(t, s, screen{}, "NO_COLOR=1 kubectl get ns default -v=8"); strings.Contains(shown, "\x1b[") {
		t.Errorf("NO_COLOR: %q", shown)
	}
	if _, errOut, _ := typed(t, s, "kubectl get ns default -v=8"); strings.Contains(errOut, "\x1b[") {
		t.Errorf("without a terminal: %q", errOut)
	}
}

func TestViOpensTheEditor(t *testing.T) {
	term, _ := newTerminal(t)
	s := term.Session("a")
	terminal := screen{edits: func(name, text string) (string, bool) {
		return text + name + " was here", name != "left.txt"
	}}
	for line, want := range map[string]string{
		"vi new.txt && cat new.txt":                       "new.txt was here\n",
		"mkdir d; echo 1 > d/f; nano d/f; cat d/f":        "1\nd/f was here\n",
		"echo same > left.txt; vi left.txt; cat left.txt": "same\n",
	} {
		if shown, code := at(t, s, terminal, line); code != 0 || shown != want {
			t.Errorf("%s: exit code %d, %q, want %q", line, code, shown, want)
		}
	}
	if out, code := at(t, s, terminal, "ls ~/new.txt"); code != 0 {
		t.Errorf("it is not in the home directory: %s", out)
	}
	if _, errOut, code := typed(t, s, "vi x"); code == 0 || !strings.Contains(errOut, "page's editor") {
		t.Errorf("without a terminal: exit code %d, %s", code, errOut)
	}
}

// The tab replaces upstream's launch of an editor by command.LaunchEditor. Here upstream
// launches a script that has this process do the same.
func TestKubectlEdit(t *testing.T) {
	launchByScript(t)
	term, _ := newTerminal(t)
	s := term.Session("a")
	typed(t, s, "kubectl create configmap edited --from-literal=k=old")
	t.Cleanup(func() {
		s.Run(context.WithoutCancel(t.Context()), "kubectl delete configmap edited", kubectl.Streams{})
	})
	const value = "; kubectl get configmap edited -o jsonpath='{.data.k}'"

	change := screen{edits: func(_, text string) (string, bool) { return strings.Replace(text, "k: old", "k: new", 1), true }}
	if shown, code := at(t, s, change, "kubectl edit configmap edited"+value); code != 0 || shown != "configmap/edited edited\nnew" {
		t.Errorf("exit code %d, %q", code, shown)
	}
	leave := screen{edits: func(string, string) (string, bool) { return "", false }}
	if shown, _ := at(t, s, leave, "kubectl edit configmap edited"); shown != "Edit cancelled, no changes made.\n" {
		t.Errorf("an edit that is left: %q", shown)
	}
	if shown, code := at(t, s, leave, "KUBE_EDITOR='sed -i s/new/scripted/' kubectl edit configmap edited"+value); code != 0 || shown != "configmap/edited edited\nscripted" {
		t.Errorf("KUBE_EDITOR: exit code %d, %q", code, shown)
	}
	attempts := 0
	wrong := screen{edits: func(_, text string) (string, bool) {
		attempts++
		if attempts == 1 {
			return strings.Replace(text, "k: scripted", "k: [", 1), true
		}
		if !strings.Contains(text, "k: [") || !strings.Contains(text, "\n# ") {
			t.Errorf("the second attempt shows\n%s", text)
		}
		return text, true
	}}
	if shown, code := at(t, s, wrong, "kubectl edit configmap edited"); code == 0 || !strings.Contains(shown, "no valid changes were saved") {
		t.Errorf("a file that is wrong: exit code %d, %q", code, shown)
	}
}

// TestCompletionIsSourced: what kubectl's documentation has one put into .bashrc does no harm; the terminal
// completes by itself.
func TestCompletionIsSourced(t *testing.T) {
	term, _ := newTerminal(t)
	s := term.Session("a")
	for _, line := range []string{
		"source <(kubectl completion bash)",
		"alias k=kubectl; complete -o default -F __start_kubectl k",
		"k version --client >/dev/null",
		"diff <(kubectl get ns -o name) <(kubectl get namespaces -o name)",
	} {
		if out, errOut, code := typed(t, s, line); code != 0 || out+errOut != "" {
			t.Errorf("%s: exit code %d\n%.500s%.500s", line, code, out, errOut)
		}
	}
}
