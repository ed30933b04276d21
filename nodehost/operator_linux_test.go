package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/scripts/eventually"
)

// buildIn builds a module of the tests' own, with its own go.mod.
func buildIn(t *testing.T, dir, out string) string {
	t.Helper()
	out, err := filepath.Abs(out)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), buildPatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "build", "-o", out, ".")
	cmd.Dir = dir
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", dir, err, text)
	}
	return out
}

// TestOperator runs an operator made with controller-runtime, kills it, and has a second one take over.
func TestOperator(t *testing.T) {
	program := buildIn(t, "testdata/operator", "../out/test/operator")
	ns := namespace(t)
	k := "kubectl -n " + ns + " "
	kubectl(t, "kubectl apply -f testdata/operator/crd.yaml && kubectl wait --for=condition=Established crd/sites.example.tabernetes.dev --timeout=60s")
	t.Cleanup(func() { afterwards(t, "kubectl delete crd sites.example.tabernetes.dev --ignore-not-found") })

	first := startOperator(t, program, ns, "first")
	site := func(replicas int, text string) string {
		return fmt.Sprintf("apiVersion: example.tabernetes.dev/v1\nkind: Site\nmetadata: {name: shop}\nspec: {replicas: %d, text: %s}\n", replicas, text)
	}
	apply := func(manifest string) (string, error) {
		return tryKubectl(t.Context(), outside.kubectls["of the same version"], k+"apply -f -", manifest)
	}
	status := func(ready int, by string) {
		t.Helper()
		eventually.OK(t, "status of the site", func() error {
			want := fmt.Sprintf("%d %s", ready, by)
			if got := strings.TrimSpace(kubectl(t, k+"get site shop -o jsonpath='{.status.ready} {.status.by}'")); got != want {
				return fmt.Errorf("%q, want %q", got, want)
			}
			return nil
		})
	}
	if out, err := apply(site(2, "hello")); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	status(2, "first")
	if out, err := apply(site(9, "hello")); err == nil || !strings.Contains(out, "less than or equal to 5") {
		t.Errorf("the kind's schema let 9 pass: %v\n%s", err, out)
	}
	// What it owns comes back when somebody deletes it, and is reconciled when somebody edits it.
	was := kubectl(t, k+"get deployment shop -o jsonpath='{.metadata.uid}'")
	kubectl(t, k+"delete deployment shop")
	eventually.OK(t, "another deployment", func() error {
		out, err := tryKubectl(t.Context(), outside.kubectls["of the same version"], k+"get deployment shop -o jsonpath='{.metadata.uid}'", "")
		if err != nil || out == was {
			return fmt.Errorf("%s, %w", out, err)
		}
		return nil
	})
	kubectl(t, k+"scale deployment shop --replicas=4")
	eventually.OK(t, "the number that the site says", func() error {
		if out := kubectl(t, k+"get deployment shop -o jsonpath='{.spec.replicas}'"); out != "2" {
			return fmt.Errorf("%s", out)
		}
		return nil
	})

	// A second one waits until the first has gone without a word.
	startOperator(t, program, ns, "second")
	first()
	if out, err := apply(site(1, "again")); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	status(1, "second")

	kubectl(t, k+"delete site shop --timeout=60s")
	if out := kubectl(t, k+"get configmap shop-was-here -o jsonpath='{.data.by}'"); out != "second" {
		t.Errorf("the finalizer's note is by %q", out)
	}
	eventually.OK(t, "its deployment is collected", func() error {
		out, err := tryKubectl(t.Context(), outside.kubectls["of the same version"], k+"get deployment shop", "")
		if err == nil || !strings.Contains(out, "NotFound") {
			return fmt.Errorf("%s", out)
		}
		return nil
	})
}

// startOperator runs one until kill.
func startOperator(t *testing.T, program, ns, id string) (kill func()) {
	t.Helper()
	log, err := os.Create(filepath.Join(t.TempDir(), id))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd := exec.Command(program, "-namespace", ns, "-id", id)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+outside.kubeconfig)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	t.Cleanup(func() {
		kill()
		if t.Failed() {
			text, _ := os.ReadFile(log.Name())
			t.Logf("operator %s:\n%s", id, text)
		}
	})
	return kill
}
