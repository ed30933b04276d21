package kubectl_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/configuration"
	"github.com/tabernetes/tabernetes/core/kubectl"
)

// elsewhere is what the cluster of this package's tests starts with: to kubectl it is all the same.
var elsewhere = configuration.Files{configuration.APIServerFlags: []byte("--etcd-prefix=/elsewhere\n")}

// TestAnotherPrefix: a cluster that starts with another --etcd-prefix has all objects below it, and what is deleted
// comes back from a moment that was remembered.
func TestAnotherPrefix(t *testing.T) {
	term, _ := newTerminal(t)
	session := term.Session("prefix")
	run := func(line string) string {
		t.Helper()
		var out bytes.Buffer
		if code := session.Run(t.Context(), line, kubectl.Streams{Stdout: &out, Stderr: &out}); code != 0 {
			t.Fatalf("%s: %d\n%s", line, code, out.String())
		}
		return out.String()
	}
	run("kubectl create configmap prefixed --from-literal=a=b")
	t.Cleanup(func() {
		session.Run(context.WithoutCancel(t.Context()), "kubectl delete configmap prefixed", kubectl.Streams{})
	})
	keys, err := running.Store().Inspect().Keys("", "", 0)
	if err != nil {
		t.Fatal(err)
	}
	there := false
	for _, k := range keys {
		there = there || k.Key == "/elsewhere/configmaps/default/prefixed"
		if strings.HasPrefix(k.Key, "/registry/") {
			t.Errorf("%s is not below the prefix", k.Key)
		}
	}
	if !there {
		t.Error("the ConfigMap is not below the prefix")
	}

	points := running.Checkpoints()
	p, err := points.Take("prefixed", true)
	if err != nil {
		t.Fatal(err)
	}
	run("kubectl delete configmap prefixed")
	if _, err := points.Restore(t.Context(), p.ID); err != nil {
		t.Fatal(err)
	}
	if got := run("kubectl get configmap prefixed -o jsonpath='{.data.a}'"); got != "b" {
		t.Errorf("it came back with %q", got)
	}
}
