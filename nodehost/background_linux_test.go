package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"time"
)

// background starts a kubectl that goes on until stop.
func background(t *testing.T, line func(string), args ...string) (stop func()) {
	t.Helper()
	cmd := exec.Command(outside.kubectls["of the same version"], args...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+outside.kubeconfig)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			line(lines.Text())
		}
	}()
	stop = sync.OnceFunc(func() {
		_ = cmd.Process.Kill()
		<-read
		_ = cmd.Wait()
	})
	t.Cleanup(stop)
	return stop
}

var forwarding = regexp.MustCompile(`^Forwarding from 127\.0\.0\.1:(\d+)`)

// startForward is kubectl port-forward to a free port.
func startForward(t *testing.T, ns, what string, port int) (stop func(), local int) {
	t.Helper()
	ports := make(chan int, 1)
	stop = background(t, func(line string) {
		if m := forwarding.FindStringSubmatch(line); m != nil {
			n, _ := strconv.Atoi(m[1])
			ports <- n
		}
	}, "-n", ns, "port-forward", what, fmt.Sprintf(":%d", port))
	select {
	case local = <-ports:
	case <-time.After(longEnough):
		t.Fatal("kubectl port-forward does not forward")
	}
	return stop, local
}

// follow is kubectl logs -f; the first function gives what came so far.
func follow(t *testing.T, ns, what string) (logs func() string, stop func()) {
	t.Helper()
	var mu sync.Mutex
	var b bytes.Buffer
	stop = background(t, func(line string) {
		mu.Lock()
		defer mu.Unlock()
		b.WriteString(line + "\n")
	}, "-n", ns, "logs", "-f", what)
	return func() string {
		mu.Lock()
		defer mu.Unlock()
		return b.String()
	}, stop
}
