package configuration_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"

	extenderv1 "k8s.io/kube-scheduler/extender/v1"

	"github.com/tabernetes/tabernetes/core/configuration"
)

// TestScheduler: it starts anew by itself.
func TestScheduler(t *testing.T) {
	configure(t, nil)
	did := configure(t, configuration.Files{configuration.Scheduler: []byte("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles: [{schedulerName: default-scheduler}, {schedulerName: second}]\n")})
	if !slices.Equal(did.Restarted, []string{"kube-scheduler"}) {
		t.Errorf("%+v", did)
	}
	scheduled(t, "second", "1m")
	configure(t, nil)
}

// TestSchedulerPolicy: the file of --policy-config-file, as the guide's editions have it. Nobody asks whether a node has
// room where PodFitsResources is not among the predicates, and an extender is asked.
func TestSchedulerPolicy(t *testing.T) {
	var asked atomic.Int32
	extender := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var args extenderv1.ExtenderArgs
		if err := json.NewDecoder(r.Body).Decode(&args); err != nil || r.URL.Path != "/filter" {
			t.Errorf("%s: %v", r.URL, err)
		}
		asked.Add(1)
		_ = json.NewEncoder(w).Encode(extenderv1.ExtenderFilterResult{NodeNames: args.NodeNames})
	}))
	defer extender.Close()
	configure(t, configuration.Files{configuration.Scheduler: []byte(`{"kind": "Policy", "apiVersion": "v1", "predicates": [{"name": "HostName"}],
		"priorities": [{"name": "MostRequestedPriority", "weight": 2}, {"name": "ServiceSpreadingPriority", "weight": 1}, {"name": "EqualPriority", "weight": 1}],
		"extenders": [{"urlPrefix": "` + extender.URL + `", "filterVerb": "filter", "nodeCacheCapable": true, "httpTimeout": 30000000000}]}`)})
	scheduled(t, "default-scheduler", "1000")
	if asked.Load() == 0 {
		t.Error("the extender was not asked")
	}
	configure(t, nil)
}
