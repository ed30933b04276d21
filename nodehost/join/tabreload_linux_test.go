package join

import (
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/nodehost/nodetest"
)

// testTabReloaded loads the page anew whose cluster is kept: machine and laptop go on with the keys that
// they have, no container of the machine is touched, and what is asked of the cluster afterwards happens.
func (r *rig) testTabReloaded(t *testing.T, a *host, agent *nodetest.Process) {
	identity := func() string {
		return r.Kubectl(t, `kubectl get node alpha -o jsonpath='{.metadata.uid}'; kubectl get cm kube-root-ca.crt -o jsonpath='{.data}'`)
	}
	was, running, said := identity(), a.tasks(t), len(agent.Text())
	addresses := strings.Fields(r.Kubectl(t, "kubectl get pods -l app=web -o jsonpath='{.items[*].status.podIP}'"))
	load := a.ask(t, addresses)
	load.went(t)

	r.Reload(t)
	// The laptop's kubeconfig is the one of before.
	r.Eventually(t, `kubectl get node alpha -o jsonpath='{.status.conditions[?(@.type=="Ready")].status}'`, "True")
	if now := identity(); now != was {
		t.Errorf("after the reload the cluster is\n%s\nand it was\n%s", now, was)
	}
	r.exec(t)
	if now := a.tasks(t); now != running {
		t.Errorf("after the reload there runs\n%s\nand there ran\n%s", now, running)
	}
	// The machine hears of what is asked from now on: one more pod, and its end.
	r.Kubectl(t, "kubectl run after --image=busybox --image-pull-policy=IfNotPresent --overrides='"+onAlpha+"' -- sleep 3600 && kubectl wait --for=condition=Ready pod/after --timeout=120s")
	r.Eventually(t, "kubectl exec after -- hostname", "after")
	r.Kubectl(t, "kubectl delete pod after --grace-period=1 --wait")
	load.went(t)
	t.Logf("of %d requests none was lost", load.end(t))
	if strings.Contains(agent.Text()[said:], "another one") {
		t.Errorf("the machine took the cluster for another one:\n%s", agent.Text()[said:])
	}
}

// onAlpha is what has a pod go to that machine.
const onAlpha = `{"spec": {"nodeName": "alpha", "tolerations": [{"operator": "Exists"}]}}`
