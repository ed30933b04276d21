package kubectl

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/tabernetes/tabernetes/core/program"
)

// minikube answers what tutorials ask it for: addresses, by asking the cluster for them, and nodes. What else
// it does elsewhere has no meaning here, and is told so.
func (t *Terminal) minikube(ctx context.Context, p *program.Process) int {
	if len(p.Args) > 1 && p.Args[1] == "ssh" {
		return t.minikubeSSH(ctx, p, p.Args[2:])
	}
	if len(p.Args) > 1 && p.Args[1] == "node" {
		return t.minikubeNode(ctx, p, p.Args[2:])
	}
	var words, namespace []string
	for args := p.Args[1:]; len(args) > 0; args = args[1:] {
		switch name, value, ok := strings.Cut(args[0], "="); {
		case name == "-n" || name == "--namespace":
			if !ok && len(args) > 1 {
				value, args = args[1], args[1:]
			}
			namespace = []string{"-n", value}
		case strings.HasPrefix(name, "-"):
		default:
			words = append(words, name)
		}
	}
	switch {
	case len(words) == 1 && words[0] == "ip":
		ip, code := nodeAddress(ctx, p)
		if code == 0 {
			fmt.Fprintln(p.Stdout, ip)
		}
		return code
	case len(words) == 2 && words[0] == "service":
		ports, code := ask(ctx, p, append([]string{"get", "service/" + words[1], "-o",
			`jsonpath={range .spec.ports[*]}{.nodePort}{"\n"}{end}`}, namespace...)...)
		if code != 0 {
			return code
		}
		ip, code := nodeAddress(ctx, p)
		if code != 0 {
			return code
		}
		listed := strings.Fields(ports)
		if len(listed) == 0 {
			fmt.Fprintf(p.Stderr, "minikube: service %q has no node port: it is of type ClusterIP, which only pods reach. Try: kubectl port-forward service/%s 8080:PORT\n", words[1], words[1])
			return 1
		}
		for _, port := range listed {
			fmt.Fprintf(p.Stdout, "http://%s:%s\n", ip, port)
		}
		return 0
	}
	if code, ok := minikubeHas(ctx, p, words); ok {
		return code
	}
	return absent("minikube")(ctx, p)
}

// nodeAddress is the address of the cluster's first node, which is what minikube's is of its only one.
func nodeAddress(ctx context.Context, p *program.Process) (string, int) {
	ips, code := ask(ctx, p, "get", "nodes", "-o", `jsonpath={.items[0].status.addresses[?(@.type=="InternalIP")].address}`)
	if ips == "" && code == 0 {
		fmt.Fprintln(p.Stderr, "minikube: there is no node")
		return "", 1
	}
	ip, _, _ := strings.Cut(ips, " ") // of two families
	return ip, code
}

// ask runs kubectl and gives what it prints.
func ask(ctx context.Context, p *program.Process, args ...string) (string, int) {
	prog, ok := p.Lookup("kubectl")
	if !ok {
		fmt.Fprintln(p.Stderr, "minikube: kubectl is not here")
		return "", 127
	}
	var out bytes.Buffer
	child := p.Child(append([]string{"kubectl"}, args...)...)
	child.Stdout = &out
	code := prog(ctx, child)
	return strings.TrimSpace(out.String()), code
}
