package cluster_test

import (
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/apiserver/etcdview"
)

// TestWhatLiesInTheStore: every key of a running cluster is decoded by one of upstream's schemes, Secrets
// keep their values to themselves, and the apiserver is among the watchers.
func TestWhatLiesInTheStore(t *testing.T) {
	if running.Store() == nil {
		t.Skip("the cluster runs on a real etcd")
	}
	t.Cleanup(func() { run(t, "kubectl delete secret shelf --wait=false") })
	if out := run(t, "kubectl create secret generic shelf --from-literal=password=canary"); !strings.Contains(out, "created") {
		t.Fatal(out)
	}
	v := etcdview.New(running.Store().Inspect(), bus)
	const secret = "/registry/secrets/default/shelf"
	o, err := v.Object(secret, etcdview.Options{})
	if err != nil || !o.Withheld || strings.Contains(o.Text, "Y2FuYXJ5") || !strings.Contains(o.Text, "password: "+etcdview.NotShown) || o.Step == 0 {
		t.Errorf("%+v, %v", o, err)
	}
	if o, err = v.Object(secret, etcdview.Options{Secrets: true}); err != nil || !strings.Contains(o.Text, "Y2FuYXJ5") {
		t.Errorf("asked for: %+v, %v", o, err)
	}
	encodings, kinds := map[string]int{}, map[string]bool{}
	walk(t, v, "", func(e etcdview.Entry) {
		o, err := v.Object(e.Name, etcdview.Options{})
		if err != nil {
			return // it went in the meantime
		}
		encodings[o.Encoding]++
		kinds[o.Kind] = true
		if o.Problem != "" {
			t.Errorf("%s: %s", e.Name, o.Problem)
		}
	})
	if encodings[etcdview.Protobuf] < 100 || encodings[etcdview.JSON] == 0 || encodings[etcdview.Unknown] > 0 {
		t.Errorf("the keys are %v", encodings)
	}
	for _, kind := range []string{"Node", "APIService", "RangeAllocation", "Lease", "ClusterRole", "FlowSchema"} {
		if !kinds[kind] {
			t.Errorf("there is no %s among %v", kind, kinds)
		}
	}
	watching := map[string]bool{}
	for _, w := range v.Watchers().Watchers {
		watching[w.Key] = w.Prefix
	}
	if !watching["/registry/pods/"] || !watching["/registry/deployments/"] {
		t.Errorf("the watchers are %v", watching)
	}
}

func walk(t *testing.T, v *etcdview.View, prefix string, visit func(etcdview.Entry)) {
	t.Helper()
	for after := ""; ; {
		page, err := v.Keys(prefix, after, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range page.Entries {
			after = e.Name
			if e.Directory {
				walk(t, v, e.Name, visit)
			} else {
				visit(e)
			}
		}
		if !page.More {
			return
		}
	}
}
