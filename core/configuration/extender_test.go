package configuration_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"

	"github.com/tabernetes/tabernetes/core/configuration"
	"github.com/tabernetes/tabernetes/scripts/eventually"
)

// binder is an extender that binds, and that has a say in who makes room: never a pod whose name it spares.
type binder struct {
	client kubernetes.Interface
	spares string

	mu        sync.Mutex
	bound     []string
	preempted []string // for whom
}

func (b *binder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/bind":
		var args extenderv1.ExtenderBindingArgs
		if err := json.NewDecoder(r.Body).Decode(&args); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		err := b.client.CoreV1().Pods(args.PodNamespace).Bind(r.Context(), &corev1.Binding{
			ObjectMeta: metav1.ObjectMeta{Name: args.PodName, UID: args.PodUID, Annotations: map[string]string{"bound-by": "extender"}},
			Target:     corev1.ObjectReference{Kind: "Node", Name: args.Node},
		}, metav1.CreateOptions{})
		result := extenderv1.ExtenderBindingResult{}
		if err != nil {
			result.Error = err.Error()
		}
		b.mu.Lock()
		b.bound = append(b.bound, args.PodName)
		b.mu.Unlock()
		_ = json.NewEncoder(w).Encode(result)
	case "/preempt":
		var args extenderv1.ExtenderPreemptionArgs
		if err := json.NewDecoder(r.Body).Decode(&args); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		result := extenderv1.ExtenderPreemptionResult{NodeNameToMetaVictims: map[string]*extenderv1.MetaVictims{}}
		b.mu.Lock()
		spares := b.spares
		b.mu.Unlock()
		for node, victims := range args.NodeNameToVictims {
			meta := &extenderv1.MetaVictims{NumPDBViolations: victims.NumPDBViolations}
			for _, p := range victims.Pods {
				if p.Name == spares {
					meta = nil
					break
				}
				meta.Pods = append(meta.Pods, &extenderv1.MetaPod{UID: string(p.UID)})
			}
			if meta != nil {
				result.NodeNameToMetaVictims[node] = meta
			}
		}
		b.mu.Lock()
		b.preempted = append(b.preempted, args.Pod.Name)
		b.mu.Unlock()
		_ = json.NewEncoder(w).Encode(result)
	default:
		http.NotFound(w, r)
	}
}

// did is whether it has bound a pod of that name, and whether it was asked who makes room for one.
func (b *binder) did(pod string) (bound, preempted bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Contains(b.bound, pod), slices.Contains(b.preempted, pod)
}

// TestExtenderBindsAndPreempts: an extender over HTTP writes the binding in the scheduler's place, and what it strikes
// from the list of victims is not evicted.
func TestExtenderBindsAndPreempts(t *testing.T) {
	configure(t, nil)
	b := &binder{client: admin(t), spares: "spared"}
	server := httptest.NewServer(b)
	defer server.Close()
	configure(t, configuration.Files{configuration.Scheduler: fmt.Appendf(nil, `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
extenders: [{urlPrefix: %q, bindVerb: bind, preemptVerb: preempt, weight: 1, httpTimeout: 60s}]
`, server.URL)})
	t.Cleanup(func() {
		said(context.WithoutCancel(t.Context()), "kubectl delete pod spared urgent pressing --now --ignore-not-found; kubectl delete priorityclass urgent")
	})
	// More than half of the node's processors each, so that there is room for one of them.
	node := kubectl(t, "kubectl get node node-1 -o jsonpath={.status.allocatable.cpu}")
	pod := func(name, priority string) {
		t.Helper()
		kubectl(t, "kubectl apply -f - <<'E'\n"+fmt.Sprintf(`{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": %q}, "spec": {"priorityClassName": %q, "terminationGracePeriodSeconds": 0,
"containers": [{"name": "c", "image": "pause", "resources": {"requests": {"cpu": "%s"}}}]}}`, name, priority, mostOf(t, node))+"\nE")
	}
	kubectl(t, "kubectl create priorityclass urgent --value=1000")
	pod("spared", "")
	kubectl(t, "kubectl wait pod/spared --for=condition=Ready --timeout=120s")
	if bound, _ := b.did("spared"); !bound {
		t.Error("the extender has not bound it")
	}
	pod("urgent", "urgent")
	eventually.True(t, "the extender is asked who makes room", func() bool {
		_, preempted := b.did("urgent")
		return preempted
	})
	kubectl(t, "kubectl wait pod/urgent --for=jsonpath='{.status.conditions[0].reason}'=Unschedulable --timeout=120s")
	if got := kubectl(t, "kubectl get pod spared -o jsonpath={.status.phase}{.metadata.deletionTimestamp}"); got != "Running" {
		t.Errorf("who was spared: %s", got)
	}
	// It goes before the other is spared no more: the scheduler looks at it again whenever something changes, and would
	// have the other make room for it.
	kubectl(t, "kubectl delete pod urgent --now")
	b.mu.Lock()
	b.spares = ""
	b.mu.Unlock()
	pod("pressing", "urgent")
	kubectl(t, "kubectl wait pod/pressing --for=condition=Ready --timeout=120s")
	if got := kubectl(t, "kubectl get pod spared --ignore-not-found -o name"); got != "" {
		t.Errorf("nobody made room: %s", got)
	}
	if bound, preempted := b.did("pressing"); !bound || !preempted {
		t.Errorf("bound by the extender: %t; asked who makes room: %t", bound, preempted)
	}
	configure(t, nil)
}

// mostOf is three quarters of a quantity of processors.
func mostOf(t *testing.T, cpu string) string {
	t.Helper()
	q, err := resource.ParseQuantity(cpu)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%dm", q.MilliValue()*3/4)
}
