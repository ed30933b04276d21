package scheduler

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/cmd/kube-scheduler/app/options"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"sigs.k8s.io/yaml"
)

// TestPodExtenders: upstream's extender asks with all four verbs, by TLS, over what the pod dials by, and says the
// address that the configuration has when it fails.
func TestPodExtenders(t *testing.T) {
	var mu sync.Mutex
	var asked []string
	var fails atomic.Bool
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked = append(asked, r.URL.Path)
		mu.Unlock()
		if fails.Load() {
			http.Error(w, "no", http.StatusTeapot)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{
			"/x/filter":  extenderv1.ExtenderFilterResult{NodeNames: &[]string{"b"}, FailedNodes: extenderv1.FailedNodesMap{"a": "not a"}},
			"/x/score":   extenderv1.HostPriorityList{{Host: "b", Score: 7}},
			"/x/bind":    extenderv1.ExtenderBindingResult{},
			"/x/preempt": extenderv1.ExtenderPreemptionResult{},
		}[r.URL.Path])
	}))
	defer server.Close()
	dialled := 0
	ca := base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
	var config map[string]any
	if err := yaml.Unmarshal(fmt.Appendf(nil, `{apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration, leaderElection: {leaderElect: false}, extenders: [
		{urlPrefix: "https://example.com/x/", enableHTTPS: true, filterVerb: filter, prioritizeVerb: score, weight: 2, bindVerb: bind, preemptVerb: preempt, nodeCacheCapable: true, tlsConfig: {caData: %s}}]}`, ca), &config); err != nil {
		t.Fatal(err)
	}
	over := network{dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		if dialled++; address != "example.com:443" {
			t.Errorf("dials %s", address)
		}
		return (&net.Dialer{}).DialContext(ctx, network, server.Listener.Addr().String())
	}}
	ways, err := over.takeOver(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer ways.Close()
	text, err := yaml.Marshal(config)
	file := filepath.Join(t.TempDir(), "config.yaml")
	if err == nil {
		err = os.WriteFile(file, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	c, err := options.LoadConfigFromFile(klog.Background(), file)
	if err != nil {
		t.Fatal(err)
	}
	upstreams, err := scheduler.NewHTTPExtender(&c.Extenders[0])
	if err != nil {
		t.Fatal(err)
	}
	s := &scheduler.Scheduler{Extenders: []fwk.Extender{upstreams}}
	ways.named(s)
	e, p := s.Extenders[0], &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}}
	nodes := []fwk.NodeInfo{nodeNamed("a"), nodeNamed("b")}
	left, failed, _, err := e.Filter(p, nodes)
	if err != nil || len(left) != 1 || left[0].Node().Name != "b" || failed["a"] != "not a" {
		t.Errorf("filter: %v, %v, %v", left, failed, err)
	}
	if scores, weight, err := e.Prioritize(p, nodes); err != nil || weight != 2 || len(*scores) != 1 || (*scores)[0].Score != 7 {
		t.Errorf("prioritize: %v, %v", scores, err)
	}
	if err := e.Bind(&corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: "p"}}); err != nil || !e.IsBinder() {
		t.Errorf("bind: %v", err)
	}
	if victims, err := e.ProcessPreemption(p, map[string]*extenderv1.Victims{}, nil); err != nil || len(victims) != 0 || !e.SupportsPreemption() {
		t.Errorf("preempt: %v, %v", victims, err)
	}
	slices.Sort(asked)
	if got := strings.Join(asked, " "); got != "/x/bind /x/filter /x/preempt /x/score" || dialled == 0 {
		t.Errorf("asked %s, %d connections", got, dialled)
	}
	fails.Store(true)
	_, _, _, err = e.Filter(p, nodes)
	if err == nil || !strings.Contains(err.Error(), "https://example.com/x/filter, code 418") || strings.Contains(err.Error(), "127.0.0.1") || e.Name() != "https://example.com/x/" {
		t.Errorf("%s: %v", e.Name(), err)
	}
	res, err := http.Get(c.Extenders[0].URLPrefix[:strings.LastIndex(c.Extenders[0].URLPrefix, "/")] + "/guess/filter")
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusNotFound {
		t.Errorf("without a key: %s", res.Status)
	}
}

func nodeNamed(name string) fwk.NodeInfo {
	n := framework.NewNodeInfo()
	n.SetNode(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}})
	return n
}
