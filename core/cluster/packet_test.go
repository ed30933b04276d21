package cluster_test

import (
	"testing"

	"github.com/tabernetes/tabernetes/core/cluster"
)

// TestPacketPathInTheTab: two pods of in-tab nodes, by the cluster that runs.
func TestPacketPathInTheTab(t *testing.T) {
	t.Cleanup(func() { run(t, "kubectl delete pod path-a path-b --now") })
	for name, node := range map[string]string{"path-a": "node-1", "path-b": "node-2"} {
		run(t, `kubectl run `+name+` --image=nginx --overrides='{"spec":{"nodeName":"`+node+`"}}'`)
	}
	run(t, "kubectl wait --for=condition=Ready pod/path-a pod/path-b --timeout=60s")
	p, err := running.PacketPath(t.Context(), cluster.PodName{Namespace: "default", Name: "path-a"}, cluster.PodName{Namespace: "default", Name: "path-b"})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Hops) != 4 || !p.Arrives || p.MTU != 0 || p.Hops[1].At != "node-1" || p.Hops[2].At != "node-2" {
		t.Errorf("%+v", p)
	}
	for _, s := range p.Subnets {
		if !s.InTab || s.Pods == "" {
			t.Errorf("%+v", s)
		}
	}
	if _, err := running.PacketPath(t.Context(), cluster.PodName{Namespace: "default", Name: "path-a"}, cluster.PodName{Namespace: "default", Name: "nobody"}); err == nil {
		t.Error("a pod that is not there has a path")
	}
}
