package join

import (
	"context"
	"os"
	"sync"
	"testing"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/tabernetes/tabernetes/core/node/podrecord"
	"github.com/tabernetes/tabernetes/nodehost/nodetest"
)

// client is the owner's, from the hub's machine.
func (r *rig) client(t *testing.T) kubernetes.Interface {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", r.Kubeconfig())
	if err != nil {
		t.Fatal(err)
	}
	config.Dial, config.QPS = r.Hub.DialContext, -1
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// testRecords has each pod of the table live its life on the machine, all at once: what they show is what
// core/node has them show on an in-tab node.
func (r *rig) testRecords(t *testing.T, h *host) {
	pods, err := podrecord.Pods(podrecord.Real, os.Getenv("TABERNETES_LONG") != "")
	if err != nil {
		t.Fatal(err)
	}
	client := r.client(t)
	r.Kubectl(t, "kubectl create namespace records")
	r.Eventually(t, "kubectl get serviceaccount default -n records -o name", "serviceaccount/default")
	r.Eventually(t, "kubectl get configmap kube-root-ca.crt -n records -o name", "configmap/kube-root-ca.crt")
	var lives sync.WaitGroup
	for _, p := range pods {
		lives.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), 2*nodetest.Patience)
			defer cancel()
			record, err := p.Run(ctx, client, "records", h.NodeName)
			if d := p.Differences(record); err != nil || d != "" {
				t.Errorf("%s: %v\n%s%s", p.Name, err, d, record)
			} else {
				t.Logf("%s\n%s", p.Name, record)
			}
		})
	}
	lives.Wait()
	r.Kubectl(t, "kubectl delete namespace records --timeout=90s")
}
