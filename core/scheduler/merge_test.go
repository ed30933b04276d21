package scheduler

import (
	"strings"
	"testing"
)

func TestOwnConfigKeepsWhatTheProcessNeeds(t *testing.T) {
	merged, err := merge([]byte(`apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
percentageOfNodesToScore: 70
clientConnection: {kubeconfig: /elsewhere, burst: 1}
profiles:
- schedulerName: packed
`), []byte("apiVersion: x\nclientConnection:\n  kubeconfig: /ours\nleaderElection:\n  leaderElect: false\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"kubeconfig: /ours", "burst: 1", "leaderElect: false", "schedulerName: packed", "percentageOfNodesToScore: 70", "kubescheduler.config.k8s.io/v1"} {
		if !strings.Contains(string(merged), want) {
			t.Errorf("no %q in\n%s", want, merged)
		}
	}
	if _, err := merge([]byte("a: ["), nil); err == nil {
		t.Error("what is no YAML is taken")
	}
}
