package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// TestConfigDir: a native cluster starts with a directory's configuration, reads it again at SIGHUP, stays as it is if
// upstream refuses it, and goes on with it without the directory.
func TestConfigDir(t *testing.T) {
	k := newKept(t)
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	lets := func(token string) bool {
		t.Helper()
		c := rest.AnonymousClientConfig(k.config(k.kubeconfig()))
		c.BearerToken = token
		client, err := kubernetes.NewForConfig(c)
		if err != nil {
			t.Fatal(err)
		}
		_, err = client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
		return err == nil
	}
	logged := func(what string) {
		t.Helper()
		// A server may take a minute until it is ready, and so may the old one that is put back.
		for end := time.Now().Add(3 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
			b, err := os.ReadFile(filepath.Join(k.dir, "log"))
			if err == nil && bytes.Contains(b, []byte(what)) {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("the log does not say %q: …%s", what, b[max(0, len(b)-4<<10):])
			}
		}
	}
	write("tokens.csv", "first,reader,7,\"system:masters\"\n")
	// A webhook of this machine, whose loopback the control plane has not got.
	hook := httptest.NewTLSServer(http.HandlerFunc(refuseAll))
	t.Cleanup(hook.Close)
	address := hook.Listener.Addr().String()
	write("outside.addresses", "# who judges\n"+address+"\n")
	k.mustStart("--nodes=0", "--config-dir="+dir, "--outside="+address)
	if !lets("first") {
		t.Error("the token of the start is not good")
	}
	judgedOutside(t, k, hook)
	write("audit.yaml", "kind: Nonsense\n")
	if err := k.running.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	logged("the old one stays")
	if err := os.Remove(filepath.Join(dir, "audit.yaml")); err != nil {
		t.Fatal(err)
	}
	write("tokens.csv", "second,reader,7,\"system:masters\"\n")
	if err := k.running.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	logged("configuration is in force")
	if lets("first") || !lets("second") {
		t.Error("the tokens are those of before")
	}
	if err := k.running.stop(); err != nil {
		t.Fatal(err)
	}
	k.mustStart("--nodes=0")
	if !lets("second") {
		t.Error("the configuration was not kept")
	}
}

// refuseAll is an admission webhook.
func refuseAll(w http.ResponseWriter, r *http.Request) {
	var review admissionv1.AdmissionReview
	if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Result: &metav1.Status{Message: "judged outside"}}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(review)
}

// judgedOutside has a webhook asked, through the hub, what may be made in a namespace.
func judgedOutside(t *testing.T, k *kept, hook *httptest.Server) {
	t.Helper()
	ca := base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: hook.Certificate().Raw}))
	k.kubectl(k.kubeconfig(), "kubectl create namespace judged && kubectl apply -f - <<'E'\n"+fmt.Sprintf(`{"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration", "metadata": {"name": "outside"}, "webhooks": [{
"name": "outside.example.com", "clientConfig": {"url": %q, "caBundle": %q}, "failurePolicy": "Fail", "sideEffects": "None", "admissionReviewVersions": ["v1"],
"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "judged"}}, "rules": [{"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"]}]}]}`, hook.URL, ca)+"\nE")
	var got string
	for end := time.Now().Add(longEnough); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		// A configuration of webhooks comes into force a moment after it is made.
		if got = k.kubectl(k.kubeconfig(), "kubectl create configmap any -n judged --dry-run=server 2>&1 || true"); strings.Contains(got, "judged outside") {
			return
		}
	}
	t.Errorf("the webhook outside was not asked: %s", got)
}
