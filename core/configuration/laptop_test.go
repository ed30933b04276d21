package configuration_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"k8s.io/component-base/cli"
	"k8s.io/kubernetes/cmd/kube-scheduler/app"
)

// laptop has the test's program be kube-scheduler, which takes its command line.
const laptop = "TABERNETES_TEST_SCHEDULER"

// asScheduler is upstream's command, if the process was started as that: it ends as the command does, and runs no test.
func asScheduler() {
	if os.Getenv(laptop) != "" {
		os.Exit(cli.Run(app.NewSchedulerCommand()))
	}
}

// TestSchedulerOfALaptop: upstream's own command, a process beside the cluster's with nothing but a kubeconfig,
// schedules the pods that ask for it, as long as it runs.
func TestSchedulerOfALaptop(t *testing.T) {
	configure(t, nil)
	config := t.TempDir() + "/scheduler.yaml"
	if err := os.WriteFile(config, fmt.Appendf(nil, `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
clientConnection: {kubeconfig: %s}
leaderElection: {leaderElect: false}
profiles: [{schedulerName: laptop}]
`, running.AdminKubeconfig()), 0o600); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var log bytes.Buffer
	scheduler := exec.CommandContext(ctx, self, "--config="+config, "--secure-port=0")
	scheduler.Env = append(os.Environ(), laptop+"=1")
	scheduler.Stdout, scheduler.Stderr = &log, &log
	scheduler.Cancel = func() error { return scheduler.Process.Signal(syscall.SIGTERM) }
	if err := scheduler.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		cancel()
		_ = scheduler.Wait() // by the signal
		if t.Failed() {
			t.Logf("its log:\n%s", log.String())
		}
	}()
	scheduled(t, "laptop", "1m")
	scheduled(t, "default-scheduler", "1m") // the cluster's own goes on beside it
	if events := kubectl(t, "kubectl get events --field-selector reason=Scheduled -o jsonpath='{.items[*].reportingComponent}'"); !bytes.Contains([]byte(events), []byte("laptop")) {
		t.Errorf("scheduled by %s", events)
	}
}
