package kubectl

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/kubectl/command"
	"github.com/tabernetes/tabernetes/core/program"
)

// What people type out of habit, and what it is called here. None of it does anything: each
// prints one or two sentences and fails as a command that is not there does.

// notHere is what programs of other worlds answer.
var notHere = map[string]string{
	"docker":         "There is no Docker here: the kubelets run containers themselves, in pods.",
	"podman":         "There is no Podman here: the kubelets run containers themselves, in pods.",
	"nerdctl":        "There is no containerd here: containers of this tab are programs in it. Try: kubectl get pods -A",
	"crictl":         "The nodes' runtime is inside this tab and has no socket. Try: kubectl get pods -A -o wide",
	"minikube":       "Nothing has to be started: the cluster runs in this tab already. Try: kubectl get nodes",
	"kind":           "Nothing has to be started: the cluster runs in this tab already. Try: kubectl get nodes",
	"k3s":            "Nothing has to be started: the cluster runs in this tab already. Try: kubectl get nodes",
	"kubeadm":        "The cluster is set up already. Nodes come and go in the page's Nodes view.",
	"helm":           "helm is not in this tab yet. `helm template` on your machine makes YAML that `kubectl apply -f -` takes here.",
	"systemctl":      "There are no services of a machine here: the whole cluster is one program in this tab.",
	"journalctl":     "There is no journal here. Try: kubectl logs POD, or kubectl events -A",
	"apt":            "This shell is no Linux machine, so nothing can be installed. `help` lists what it has.",
	"ssh":            "There is no machine to go to. A container's shell: kubectl exec -it POD -- sh",
	"git":            "git is not in this shell. Files can be made with `cat > FILE` or vi, and dropped on the page's editor.",
	"etcdctl":        "The store speaks etcd's protocol to the apiserver alone. Its objects: kubectl get --raw /api/v1/namespaces",
	"kustomize":      "kubectl has it: kubectl kustomize DIR, or kubectl apply -k DIR",
	"kubectx":        "Contexts are kubectl's own: kubectl config get-contexts, kubectl config use-context NAME",
	"kubens":         "The namespace is the context's: kubectl config set-context --current --namespace=NAME",
	"stern":          "kubectl follows the pods of a label: kubectl logs -f -l app=NAME --prefix",
	"k9s":            "Its keys are in the view Objects of the page: :po goes to pods, `?` lists them, F6 leaves the terminal.",
	"kube-apiserver": "It runs already, in this tab. Its own account of itself: kubectl get --raw '/readyz?verbose'",
}

func init() {
	for alias, name := range map[string]string{
		"apt-get": "apt", "apk": "apt", "yum": "apt", "dnf": "apt", "brew": "apt",
		"service": "systemctl", "k3d": "kind", "ctr": "nerdctl", "kubelet": "kube-apiserver",
	} {
		notHere[alias] = notHere[name]
	}
}

// dockerWords are what the subcommands of docker are called here.
var dockerWords = map[string]string{
	"ps": "kubectl get pods -A", "run": "kubectl run NAME --image=IMAGE", "logs": "kubectl logs POD",
	"exec": "kubectl exec -it POD -- sh", "rm": "kubectl delete pod POD", "stop": "kubectl delete pod POD",
	"kill": "kubectl delete pod POD --now", "inspect": "kubectl describe pod POD", "stats": "kubectl describe nodes",
	"compose": "kubectl apply -f FILE", "network": "kubectl get services -A", "volume": "kubectl get pv,pvc -A",
	"images": "kubectl get nodes -o jsonpath='{range .items[*].status.images[*]}{.names[0]}{\"\\n\"}{end}'",
	"pull":   "kubectl run NAME --image=IMAGE", "start": "kubectl scale deployment NAME --replicas=1",
	"info": "kubectl get nodes -o wide", "version": "kubectl version", "container": "kubectl get pods -A",
}

// completes is bash's complete, by which a sourced script says what completes a command's words: here the
// terminal does that by itself, for kubectl and k, and has nothing to be told.
func completes(context.Context, *program.Process) int { return 0 }

// absent is a program that is not here.
func absent(name string) program.Program {
	return func(_ context.Context, p *program.Process) int {
		answer := notHere[name]
		if name == "docker" || name == "podman" {
			line := "kubectl get pods -A"
			if len(p.Args) > 1 && dockerWords[p.Args[1]] != "" {
				line = dockerWords[p.Args[1]]
			}
			answer += " Try: " + line
		}
		fmt.Fprintf(p.Stderr, "%s: not found.\n%s\n", name, oneALine(answer))
		return 127
	}
}

// oneALine has a line for each sentence: a terminal is wide, for tables, and what is beside the pane's edge is not read.
func oneALine(sentences string) string {
	return sentenceEnd.ReplaceAllString(sentences, "$1\n$2")
}

// sentenceEnd is where another one begins, with a word or with what to type.
var sentenceEnd = regexp.MustCompile("([.?]) ([A-Z`])")

// sudo runs its arguments: the shell's user may do everything already.
func sudo(ctx context.Context, p *program.Process) int {
	args := p.Args[1:]
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		args = args[1:]
	}
	if len(args) == 0 {
		fmt.Fprintln(p.Stderr, "sudo: you are root already; say what to run")
		return 1
	}
	sh, ok := p.Lookup("sh")
	if !ok {
		return 127
	}
	return sh(ctx, p.Child(append([]string{"sh", "-c", `"$0" "$@"`}, args...)...))
}

// note is a sentence after a kubectl command that has done what it was asked to, and whose answer is
// not what courses show.
func note(stderr string) string {
	if strings.Contains(stderr, "No resources found in kube-system namespace") {
		return "What runs there elsewhere is no pod here: the control plane is part of this tab, and so are Services and names.\nHow it is: kubectl get componentstatuses, or kubectl get --raw '/readyz?verbose'"
	}
	return ""
}

// hint is a sentence after a failed kubectl command that many people have meant otherwise; args
// are those after kubectl.
func hint(args []string, stderr string) string {
	verb := ""
	for _, a := range args {
		if !strings.HasPrefix(a, "-") {
			verb = a
			break
		}
	}
	flag := func(name string) string {
		for i, a := range args {
			if value, ok := strings.CutPrefix(a, name+"="); ok {
				return value
			}
			if a == name && i+1 < len(args) {
				return args[i+1]
			}
		}
		return ""
	}
	switch verb {
	case "run":
		if strings.Contains(stderr, "NAME is required") {
			return runHint(args, flag("--image"))
		}
	case "ls", "list", "ps", "show", "pods", "pod", "nodes", "services", "deployments":
		return "Listing is `kubectl get`: kubectl get pods -A"
	case "start", "restart", "reload":
		return "Pods are not restarted but replaced: kubectl rollout restart deployment NAME"
	case "stop", "kill", "rm", "remove":
		return "Taking away is `kubectl delete`: kubectl delete pod NAME"
	case "update", "modify":
		return "Changing is `kubectl edit`, `kubectl set` or `kubectl apply`: kubectl edit deployment NAME"
	case "ssh", "shell", "sh", "bash":
		return "A shell in a container is kubectl exec -it POD -- sh"
	case "top":
		switch {
		case strings.Contains(stderr, "Metrics API not available"):
			return "metrics.k8s.io is not served: the API server has just started, or its APIService is gone. What is requested: kubectl describe nodes"
		case strings.Contains(strings.ToLower(stderr), "metrics not available"): // of one pod, or "yet"
			return "Nodes and pods are measured every 15 seconds: ask again in a moment."
		}
	case "exec":
		if strings.Contains(stderr, "you must specify") || strings.Contains(stderr, "--") && strings.Contains(stderr, "exec") {
			return "The command stands after two hyphens: kubectl exec -it POD -- sh"
		}
	}
	return ""
}

// runHint is a line without a name, as the guide has it, with one.
func runHint(args []string, image string) string {
	name := cmp.Or(image, "nginx")
	name = name[strings.LastIndex(name, "/")+1:]
	name, _, _ = strings.Cut(name, "@")
	name, _, _ = strings.Cut(name, ":")
	at := slices.Index(args, "run") + 1
	return "A name comes first: kubectl " + command.Line(slices.Insert(slices.Clone(args), at, name)...)
}

// listening passes on what is written and keeps the beginning of it.
type listening struct {
	w    io.Writer
	kept []byte
}

// Write implements io.Writer.
func (l *listening) Write(p []byte) (int, error) {
	if room := 4096 - len(l.kept); room > 0 {
		l.kept = append(l.kept, p[:min(room, len(p))]...)
	}
	return l.w.Write(p)
}

// Lacks says why a program that tutorials use is not in the terminal; "" if nothing is known of it, or it is.
func Lacks(name string) string {
	if name == "minikube" { // some of it is
		return ""
	}
	return notHere[name]
}
