package cluster_test

import (
	"context"
	"net/netip"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"github.com/tabernetes/tabernetes/core/cluster"
	"github.com/tabernetes/tabernetes/core/packetpath"
)

// TestPacketPathInTheTab: two pods of in-tab nodes, by the cluster that runs. What is said is what becomes of a
// connection between them: also where a NetworkPolicy forbids it, and where either's node is stopped.
func TestPacketPathInTheTab(t *testing.T) {
	a, b := cluster.PodName{Namespace: "default", Name: "path-a"}, cluster.PodName{Namespace: "default", Name: "path-b"}
	t.Cleanup(func() {
		run(t, "kubectl delete networkpolicy path --ignore-not-found")
		run(t, "kubectl delete pod path-a path-b --now")
	})
	nodes := map[cluster.PodName]string{a: "node-1", b: "node-2"}
	addresses := map[cluster.PodName]netip.Addr{}
	client, err := kubernetes.NewForConfig(running.AdminConfig())
	if err != nil {
		t.Fatal(err)
	}
	for name, node := range nodes {
		run(t, `kubectl run `+name.Name+` --image=nginx --overrides='{"spec":{"nodeName":"`+node+`"}}'`)
	}
	run(t, "kubectl wait --for=condition=Ready pod/path-a pod/path-b --timeout=60s")
	for name := range nodes {
		p, err := client.CoreV1().Pods(name.Namespace).Get(t.Context(), name.Name, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		addresses[name] = netip.MustParseAddr(p.Status.PodIP)
	}
	// both compares the path with a connection, and gives why it does not arrive.
	both := func(from, to cluster.PodName) (p *packetpath.Path, why string) {
		t.Helper()
		p, err := running.PacketPath(t.Context(), from, to)
		if err != nil {
			t.Fatal(err)
		}
		err = cluster.Connects(t.Context(), running, nodes[from], addresses[from], netip.AddrPortFrom(addresses[to], 80))
		if (err == nil) != p.Arrives {
			t.Errorf("from %s to %s: the path says %v, and a connection %v", from.Name, to.Name, p.Arrives, err)
		}
		if last := p.Hops[len(p.Hops)-1]; !p.Arrives {
			why = last.At + ": " + last.Why
		}
		return p, why
	}

	p, _ := both(a, b)
	if len(p.Hops) != 4 || !p.Arrives || p.MTU != 0 || p.Hops[1].At != "node-1" || p.Hops[2].At != "node-2" || !strings.Contains(p.Hops[1].Why, "TCP port 80") {
		t.Errorf("%+v", p)
	}
	for _, s := range p.Subnets {
		if !s.InTab || s.Pods == "" {
			t.Errorf("%+v", s)
		}
	}
	if _, err := running.PacketPath(t.Context(), a, cluster.PodName{Namespace: "default", Name: "nobody"}); err == nil {
		t.Error("a pod that is not there has a path")
	}

	for direction, c := range map[string]struct{ from, to cluster.PodName }{"egress": {a, b}, "ingress": {b, a}} {
		run(t, `kubectl apply -f - <<END
{"apiVersion":"networking.k8s.io/v1","kind":"NetworkPolicy","metadata":{"name":"path","namespace":"default"},
"spec":{"podSelector":{"matchLabels":{"run":"path-a"}},"policyTypes":["`+strings.ToUpper(direction[:1])+direction[1:]+`"]}}
END`)
		forbids := "a NetworkPolicy of pod default/path-a forbids " + direction
		// The data path hears of it a moment later.
		err := wait.PollUntilContextTimeout(t.Context(), 10*time.Millisecond, 30*time.Second, true, func(ctx context.Context) (bool, error) {
			return cluster.Connects(ctx, running, nodes[c.from], addresses[c.from], netip.AddrPortFrom(addresses[c.to], 80)) != nil, nil
		})
		if err != nil {
			t.Fatalf("%s: %v", direction, err)
		}
		if _, why := both(c.from, c.to); !strings.HasPrefix(why, nodes[c.from]+": ") || !strings.Contains(why, forbids) {
			t.Errorf("%s: it says %q", direction, why)
		}
		if p, _ := both(c.to, c.from); !p.Arrives {
			t.Errorf("%s: %+v", direction, p)
		}
		run(t, "kubectl delete networkpolicy path")
		err = wait.PollUntilContextTimeout(t.Context(), 10*time.Millisecond, 30*time.Second, true, func(ctx context.Context) (bool, error) {
			return cluster.Connects(ctx, running, nodes[c.from], addresses[c.from], netip.AddrPortFrom(addresses[c.to], 80)) == nil, nil
		})
		if err != nil {
			t.Fatalf("without %s: %v", direction, err)
		}
	}

	if err := running.StopNode("node-2"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = running.HealNode("node-2") })
	for _, c := range []struct{ from, to cluster.PodName }{{a, b}, {b, a}} {
		if _, why := both(c.from, c.to); !strings.HasPrefix(why, nodes[c.from]+": ") || !strings.Contains(why, "node-2: "+cluster.ErrStopped.Error()) {
			t.Errorf("from %s it says %q", c.from.Name, why)
		}
	}
	if err := running.HealNode("node-2"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ from, to cluster.PodName }{{a, b}, {b, a}} {
		if p, why := both(c.from, c.to); !p.Arrives {
			t.Errorf("from %s of a node that was healed: %s", c.from.Name, why)
		}
	}
}
