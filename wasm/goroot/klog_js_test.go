package goroot_test

import (
	"strings"
	"testing"

	"k8s.io/klog/v2"

	"github.com/tabernetes/tabernetes/wasm/goroot"
)

// Upstream's way of giving up. The log must go on afterwards: every other component uses it.
func TestKlogFatalIsReported(t *testing.T) {
	stacks := make(chan string, 1)
	goroot.OnExit(func(code int, stack string) { stacks <- stack })
	go func() { klog.Fatal("cannot go on") }()
	if stack := <-stacks; !strings.Contains(stack, "TestKlogFatalIsReported") {
		t.Errorf("the stack does not lead to the caller:\n%s", stack)
	}
	klog.Info("the log goes on")
	klog.Flush()
}
