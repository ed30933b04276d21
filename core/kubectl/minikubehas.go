package kubectl

import (
	"context"
	"fmt"
	"strings"

	"github.com/tabernetes/tabernetes/core/program"
)

// minikubeAddons are the addons whose work is done in every cluster here.
var minikubeAddons = map[string]string{
	"ingress":              "Ingresses are served here from the beginning, at port 80 of $(minikube ip) and at the ADDRESS of `kubectl get ingress`.",
	"metrics-server":       "What nodes and pods use is measured here from the beginning: kubectl top nodes",
	"default-storageclass": "There is a default StorageClass from the beginning: kubectl get storageclass",
	"storage-provisioner":  "Claims get their volumes from the beginning: kubectl get storageclass",
	"metallb":              "Services of type LoadBalancer have their addresses from the beginning: kubectl get services",
}

// minikubeHas answers commands that switch on elsewhere what is here from the beginning; false for all others.
func minikubeHas(ctx context.Context, p *program.Process, words []string) (code int, ok bool) {
	switch {
	case len(words) == 1 && words[0] == "tunnel":
		fmt.Fprintln(p.Stdout, "No tunnel is needed: this shell reaches the EXTERNAL-IP of every Service. Try: kubectl get services")
		return 0, true
	case len(words) != 3 || words[0] != "addons" || words[1] != "enable" && words[1] != "disable":
		return 0, false
	}
	name, on := words[2], words[1] == "enable"
	about, here := minikubeAddons[name]
	switch {
	case !here:
		fmt.Fprintf(p.Stderr, "minikube: there is no addon %q here. What it is made of elsewhere are manifests: kubectl apply -f FILE\n", name)
		return 1, true
	case name == "ingress":
		if code := nginxClass(ctx, p, on); code != 0 {
			return code, true
		}
	}
	if !on {
		fmt.Fprintf(p.Stderr, "minikube: %s is a part of this cluster, and stays\n", name)
		return 1, true
	}
	fmt.Fprintln(p.Stdout, about)
	return 0, true
}

// nginxClass makes the IngressClass nginx, which minikube's addon has, of the controller that is here; or takes that away
// again. One that somebody else has made stays.
func nginxClass(ctx context.Context, p *program.Process, on bool) int {
	ours, code := ask(ctx, p, "get", "ingressclass", "tabernetes", "-o", "jsonpath={.spec.controller}")
	if code != 0 {
		return code
	}
	there, code := ask(ctx, p, "get", "ingressclass", "nginx", "--ignore-not-found", "-o", "jsonpath={.spec.controller}")
	switch {
	case code != 0:
		return code
	case on && there == "":
		return told(ctx, p, fmt.Sprintf(`{"apiVersion":"networking.k8s.io/v1","kind":"IngressClass","metadata":{"name":"nginx"},"spec":{"controller":%q}}`, ours), "create", "-f", "-")
	case !on && there == ours:
		return told(ctx, p, "", "delete", "ingressclass", "nginx")
	}
	return 0
}

// told runs kubectl with something to read, and shows what it says.
func told(ctx context.Context, p *program.Process, stdin string, args ...string) int {
	prog, ok := p.Lookup("kubectl")
	if !ok {
		fmt.Fprintln(p.Stderr, "minikube: kubectl is not here")
		return 127
	}
	child := p.Child(append([]string{"kubectl"}, args...)...)
	child.Stdin = strings.NewReader(stdin)
	return prog(ctx, child)
}
