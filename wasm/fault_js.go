package main

import (
	"fmt"
	"log"
	"regexp"

	"github.com/tabernetes/tabernetes/wasm/goroot"
	"github.com/tabernetes/tabernetes/wasm/port"
)

const reload = "Reload the page. The cluster starts empty. If it happens again, copy the details into a report."

// goOn is the same of a cluster that this browser keeps.
const goOn = "Reload the page: the cluster goes on from what this browser keeps of it. If it happens again, copy the details into a report; a reset in Settings deletes what is kept."

// fault tells the page that the cluster cannot go on.
func (t *tab) fault(component, message, stack string) {
	hint := reload
	if t.host.config.Keep != "" {
		hint = goOn
	}
	m := port.Out{"type": "fault", "component": component, "message": message, "hint": hint}
	if stack != "" {
		m["stack"] = stack
	}
	if err := t.server.Post(m); err != nil {
		log.Printf("tabernetes: %s: %s\n%s", component, message, stack)
	}
}

// reportExits makes os.Exit, wherever upstream calls it, a report instead of the tab's end.
func (t *tab) reportExits() {
	goroot.OnExit(func(code int, stack string) {
		component := componentOf(stack)
		log.Printf("tabernetes: %s called os.Exit(%d)\n%s", component, code, stack)
		t.fault(component, fmt.Sprintf("%s gave up with exit code %d. Its last lines in the console say why.", component, code), stack)
	})
}

// components finds whose code is on a stack, by package.
var components = []struct {
	packages *regexp.Regexp
	name     string
}{
	{regexp.MustCompile(`k8s\.io/kubernetes/(pkg/kubelet|cmd/kubelet)`), "kubelet"},
	{regexp.MustCompile(`k8s\.io/kubernetes/(pkg/scheduler|cmd/kube-scheduler)`), "kube-scheduler"},
	{regexp.MustCompile(`k8s\.io/kubernetes/(pkg/controller|cmd/kube-controller-manager)`), "kube-controller-manager"},
	{regexp.MustCompile(`k8s\.io/kubernetes/(pkg/(kubeapiserver|controlplane|registry)|cmd/kube-apiserver)|k8s\.io/(apiserver|kube-aggregator|apiextensions-apiserver)`), "kube-apiserver"},
	{regexp.MustCompile(`k8s\.io/kubectl`), "kubectl"},
}

func componentOf(stack string) string {
	for _, c := range components {
		if c.packages.MatchString(stack) {
			return c.name
		}
	}
	return "cluster"
}
