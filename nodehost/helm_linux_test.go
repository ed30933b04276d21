package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// helmVersion is what is built from the module proxy.
const helmVersion = "helm.sh/helm/v4/cmd/helm@v4.3.1"

// helm builds it below out/, where it is found again.
func helm(t *testing.T) string {
	t.Helper()
	if os.Getenv("TABERNETES_LONG") == "" {
		t.Skip("to build helm takes minutes: part of make test-long")
	}
	dir, err := filepath.Abs("../out/test/helm")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), buildPatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "install", helmVersion)
	cmd.Env = append(os.Environ(), "GOBIN="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("install %s: %v\n%s", helmVersion, err, out)
	}
	return filepath.Join(dir, "helm")
}

// TestHelm takes a chart with hooks, a kind of its own and a test through its life.
func TestHelm(t *testing.T) {
	program := helm(t)
	ns := namespace(t)
	t.Cleanup(func() { afterwards(t, "kubectl delete crd carts.helm.tabernetes.dev --ignore-not-found") })
	home := t.TempDir()
	for _, c := range []struct{ line, want string }{
		{"helm install demo testdata/chart --wait --timeout=100s", `STATUS: deployed\n(.*\n)*demo shows hello from 1 servers`},
		{"kubectl logs job/demo-pre-install; kubectl logs job/demo-post-install", `pre-install of revision 1\npost-install of revision 1`},
		{"kubectl get cart demo -o jsonpath={.spec.size}", `^1$`},
		{"helm upgrade demo testdata/chart --set replicas=2,text=welcome --wait --timeout=100s", `REVISION: 2`},
		{"kubectl get deployment,cart demo -o jsonpath='{.items[*].spec.replicas} {.items[*].spec.size}'; kubectl logs job/demo-pre-upgrade", `^2 2pre-upgrade of revision 2`},
		{"helm get values demo -o json", `"text":"welcome"`},
		{"helm test demo --logs --timeout=100s", `Phase:\s+Succeeded\n(.*\n)*.*the test saw welcome`},
		// A hook that fails fails the upgrade, and is taken back.
		{"helm upgrade demo testdata/chart --set text=pre-upgrade --wait --rollback-on-failure --timeout=100s || echo it failed", `it failed`},
		{"kubectl get configmap demo -o jsonpath={.data.text}", `^welcome$`},
		{"helm upgrade demo testdata/chart --set replicas=many || echo refused", `(?s)got string, want integer.*refused`},
		{"helm rollback demo 1 --wait --timeout=100s", `Rollback was a success`},
		{"kubectl get deployment demo -o jsonpath='{.spec.replicas} {.status.readyReplicas}'; kubectl get configmap demo -o jsonpath=' {.data.text}'", `^1 1 hello$`},
		{"helm history demo", `(?s)superseded.*failed.*deployed\s+shop-1.0.0\s+1\s+Rollback to 1`},
		{"helm list --filter demo -q", `^demo$`},
		// Somebody else's edit is seen, and not lost without a word.
		{"kubectl label deployment demo by=hand && helm upgrade demo testdata/chart --reuse-values --wait --timeout=100s && kubectl get deployment demo -o jsonpath={.metadata.labels.by}", `hand$`},
		{"helm uninstall demo --wait --timeout=100s", `release "demo" uninstalled`},
		{"kubectl logs job/demo-pre-delete", `pre-delete of revision`},
		{"kubectl get deployment,configmap,cart --no-headers --ignore-not-found | grep -v kube-root-ca || echo nothing left", `^nothing left$`},
		{"kubectl get secret -o name | grep helm || echo no releases", `^no releases$`},
		// Helm leaves a chart's CRDs.
		{"kubectl get crd carts.helm.tabernetes.dev -o name", `carts`},
	} {
		// helm runs with its own directories, in the test's namespace.
		line := "helm() { HOME=" + home + " " + program + " -n " + ns + ` "$@"; }; ` + strings.ReplaceAll(c.line, "kubectl ", "kubectl -n "+ns+" ")
		out, err := tryKubectl(t.Context(), outside.kubectls["of the same version"], line, "")
		if err != nil || !regexp.MustCompile("(?m)"+c.want).MatchString(out) {
			t.Fatalf("$ %s\nwant %s, got (%v)\n%s", c.line, c.want, err, out)
		}
	}
}
