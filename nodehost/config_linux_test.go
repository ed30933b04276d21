package main

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

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
	k.mustStart("--nodes=0", "--config-dir="+dir)
	if !lets("first") {
		t.Error("the token of the start is not good")
	}
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
