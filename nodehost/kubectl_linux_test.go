package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/scripts/eventually"
)

// What people type, with each kubectl that is there.
func TestKubectl(t *testing.T) {
	for version, program := range outside.kubectls {
		t.Run(version, func(t *testing.T) {
			ns := namespace(t)
			for _, c := range []struct{ line, stdin, want string }{
				{"kubectl get nodes --no-headers | wc -l", "", `^3$`},
				{"kubectl create deployment web --image=nginx --replicas=2", "", `deployment.apps/web created`},
				{"kubectl rollout status deployment/web --timeout=100s", "", `successfully rolled out`},
				{"kubectl wait --for=condition=Available deployment/web --timeout=60s", "", `condition met`},
				{"kubectl get pods -o wide", "", `(?s)web-.*Running.*10\.244\.`},
				{"kubectl explain deployment.spec.replicas", "", `Number of desired pods`},
				{"kubectl exec deployment/web -- sh -c 'echo out; echo err >&2; exit 3' || echo code $?", "", `(?s)out.*code 3|err`},
				{"kubectl exec -i deployment/web -- cat", "through stdin", `through stdin`},
				{"script -qec 'kubectl exec -it deployment/web -- sh -c \"test -t 0 && echo a terminal\"' /dev/null", "", `a terminal`},
				{"kubectl logs deployment/web", "", `nginx/`},
				{"kubectl set image deployment/web nginx=nginx:1.28 && kubectl rollout status deployment/web --timeout=100s", "", `successfully rolled out`},
				{"kubectl rollout undo deployment/web && kubectl rollout history deployment/web", "", `(?s)rolled back.*REVISION`},
				{"kubectl scale deployment/web --replicas=1", "", `scaled`},
				{"kubectl apply --server-side -f -", cm("one"), `serverside-applied`},
				{"kubectl apply --server-side --field-manager=other -f - || true", cm("two"), `(?s)conflict.*--force-conflicts`},
				{"kubectl apply --server-side --field-manager=other --force-conflicts -f -", cm("two"), `serverside-applied`},
				{"kubectl diff --server-side --field-manager=other -f - || [ $? = 1 ]", cm("three"), `\+\s+key: three`},
				{"kubectl create configmap plain --from-literal=a=b --dry-run=server -o yaml | kubectl apply -f -", "", `configmap/plain created`},
				{"kubectl auth can-i '*' '*'", "", `yes`},
				{"kubectl get --raw /readyz", "", `^ok$`},
				{"kubectl api-resources --no-headers | wc -l", "", `^[5-9]\d$`},
				{"kubectl delete deployment web --wait=true", "", `deleted`},
			} {
				line := strings.ReplaceAll(c.line, "kubectl ", "kubectl -n "+ns+" ")
				out, err := tryKubectl(t.Context(), program, exportFunction+line, c.stdin)
				if err != nil || !regexp.MustCompile("(?m)"+c.want).MatchString(strings.ReplaceAll(out, "\r", "")) {
					t.Fatalf("$ %s\nwant %s, got (%v)\n%s", line, c.want, err, out)
				}
			}
		})
	}
}

// exportFunction lets `script` find the line's kubectl as well.
const exportFunction = "export -f kubectl; "

func cm(value string) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: applied}\ndata: {key: " + value + "}\n"
}

func TestKubectlAttachDebugDrain(t *testing.T) {
	ns := namespace(t)
	k := "kubectl -n " + ns + " "
	kubectl(t, k+"run echo --image=busybox --stdin --attach=false --restart=Never -- sh -c 'while read l; do echo got $l; done'")
	kubectl(t, k+"wait --for=condition=Ready pod/echo --timeout=60s")
	out, err := tryKubectl(t.Context(), outside.kubectls["of the same version"], "(echo hello; sleep 2) | timeout 20 "+k+"attach -i echo || true", "")
	if !strings.Contains(out, "got hello") {
		t.Errorf("attach: %v\n%s", err, out)
	}
	// Its input has ended, and so has it: the rest is done to another one.
	kubectl(t, k+"run idle --image=busybox --restart=Never -- sleep 3600")
	kubectl(t, k+"wait --for=condition=Ready pod/idle --timeout=60s")
	kubectl(t, k+"debug idle --image=busybox -c looker -- sh -c 'echo looking; sleep 300'")
	eventually.OK(t, "an ephemeral container", func() error {
		if out, err := tryKubectl(t.Context(), outside.kubectls["of the same version"], k+"logs idle -c looker", ""); err != nil || !strings.Contains(out, "looking") {
			return fmt.Errorf("%s, %w", out, err)
		}
		return nil
	})
	node := strings.TrimSpace(kubectl(t, k+"get pod idle -o jsonpath='{.spec.nodeName}'"))
	t.Cleanup(func() { afterwards(t, "kubectl uncordon "+node) })
	// Only this test's pod: other tests' go on.
	kubectl(t, "kubectl drain "+node+" --force --ignore-daemonsets --delete-emptydir-data --pod-selector=run=idle --timeout=100s")
	if out := kubectl(t, "kubectl get node "+node); !strings.Contains(out, "SchedulingDisabled") {
		t.Errorf("after drain: %s", out)
	}
}

// afterwards is for cleaning up, when the test's context has ended.
func afterwards(t *testing.T, line string) {
	t.Helper()
	if out, err := tryKubectl(context.Background(), outside.kubectls["of the same version"], line, ""); err != nil {
		t.Errorf("$ %s\n%v\n%s", line, err, out)
	}
}

// copySize is what kubectl cp carries each way, in bytes.
func copySize() int {
	if os.Getenv("TABERNETES_LONG") != "" {
		return 100 << 20
	}
	return 10 << 20
}

func TestKubectlCp(t *testing.T) {
	ns := namespace(t)
	k := "kubectl -n " + ns + " "
	kubectl(t, k+"run box --image=busybox --restart=Never -- sleep 3600")
	kubectl(t, k+"wait --for=condition=Ready pod/box --timeout=60s")
	dir := t.TempDir()
	sent := make([]byte, copySize())
	rand.Read(sent)
	if err := os.WriteFile(filepath.Join(dir, "there"), sent, 0o644); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(sent)
	kubectl(t, k+"cp "+dir+"/there box:/tmp/there")
	if out := kubectl(t, k+"exec box -- sha256sum /tmp/there"); !strings.HasPrefix(out, hex.EncodeToString(sum[:])) {
		t.Errorf("in the container: %s", out)
	}
	kubectl(t, k+"cp box:/tmp/there "+dir+"/back")
	got, err := os.ReadFile(filepath.Join(dir, "back"))
	if err != nil || sha256.Sum256(got) != sum {
		t.Errorf("%d bytes came back of %d, %v", len(got), len(sent), err)
	}
}

func TestKubectlPortForwardAndLogs(t *testing.T) {
	ns := namespace(t)
	k := "kubectl -n " + ns + " "
	kubectl(t, k+"create deployment web --image=nginx && "+k+"rollout status deployment/web --timeout=100s")
	cmd, port := startForward(t, ns, "deployment/web", 80)
	defer cmd()
	logs, stopLogs := follow(t, ns, "deployment/web")
	defer stopLogs()
	for i := range 20 {
		res, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d/?request-%d", port, i))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || !strings.Contains(string(body), "nginx") {
			t.Fatalf("request %d: %v\n%s", i, err, body)
		}
	}
	eventually.OK(t, "the last request in logs -f", func() error {
		if !strings.Contains(logs(), "request-19") {
			return fmt.Errorf("not yet:\n%s", logs())
		}
		return nil
	})
}
