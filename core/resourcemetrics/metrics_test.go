package resourcemetrics

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/metrics/pkg/apis/metrics"
)

var begin = time.Date(2026, 11, 23, 4, 0, 0, 0, time.UTC)

// said is what a kubelet says of itself and of one container, seconds after the beginning.
func said(t *testing.T, seconds, nodeCPU, cpu float64) answer {
	t.Helper()
	at := begin.Add(time.Duration(seconds * float64(time.Second)))
	a, err := read(strings.NewReader(fmt.Sprintf(`# TYPE container_cpu_usage_seconds_total counter
container_cpu_usage_seconds_total{container="main",namespace="default",pod="web"} %[3]g %[1]d
# TYPE container_memory_working_set_bytes gauge
container_memory_working_set_bytes{container="main",namespace="default",pod="web"} 1.048576e+06 %[1]d
# TYPE container_start_time_seconds gauge
container_start_time_seconds{container="main",namespace="default",pod="web"} %[4]d
# TYPE node_cpu_usage_seconds_total counter
node_cpu_usage_seconds_total %[2]g %[1]d
# TYPE node_memory_working_set_bytes gauge
node_memory_working_set_bytes 2.097152e+06 %[1]d
# TYPE something_else gauge
something_else 1
`, at.UnixMilli(), nodeCPU, cpu, begin.Add(-time.Hour).Unix())), at)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// served are metrics of a pod "web" on node-1.
func served(t *testing.T) *Metrics {
	m := New()
	nodes, pods := cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil), cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	for _, name := range []string{"node-1", "node-2"} {
		if err := nodes.Add(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}); err != nil {
			t.Fatal(err)
		}
	}
	web := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"}, Spec: corev1.PodSpec{
		NodeName: "node-1", Containers: []corev1.Container{{Name: "main"}},
	}}
	if err := pods.Add(web); err != nil {
		t.Fatal(err)
	}
	m.nodes, m.pods = corelisters.NewNodeLister(nodes), corelisters.NewPodLister(pods)
	return m
}

func (m *Metrics) web(t *testing.T) []metrics.PodMetrics {
	t.Helper()
	list, err := podMetrics{m}.List(genericapirequest.WithNamespace(context.Background(), "default"), nil)
	if err != nil {
		t.Fatal(err)
	}
	return list.(*metrics.PodMetricsList).Items
}

func TestUsageIsBetweenTwoAnswers(t *testing.T) {
	m := served(t)
	m.points.put("node-1", said(t, 0, 100, 10), true)
	if got := m.web(t); len(got) != 0 {
		t.Fatalf("of one answer: %+v", got)
	}
	m.points.put("node-1", said(t, 10, 105, 12), true)
	got := m.web(t)
	if len(got) != 1 || got[0].Window.Duration != 10*time.Second || got[0].Containers[0].Usage.Cpu().MilliValue() != 200 ||
		got[0].Containers[0].Usage.Memory().Value() != 1<<20 {
		t.Fatalf("%+v", got)
	}
	nodes, err := nodeMetrics{m}.List(t.Context(), nil)
	if items := nodes.(*metrics.NodeMetricsList).Items; err != nil || len(items) != 1 || items[0].Usage.Cpu().MilliValue() != 500 {
		t.Errorf("nodes: %+v, %v", items, err)
	}
	m.points.put("node-1", said(t, 10, 500, 500), true) // the same answer once more
	if again := m.web(t); again[0].Containers[0].Usage.Cpu().MilliValue() != 200 {
		t.Errorf("an answer of the same time: %+v", again)
	}
	m.points.put("node-1", said(t, 20, 1, 1), true) // its counters began anew
	if got := m.web(t); len(got) != 0 {
		t.Errorf("time that went back: %+v", got)
	}
	m.points.put("node-1", answer{}, false)
	if got := m.web(t); len(got) != 0 {
		t.Errorf("of a node that does not answer: %+v", got)
	}
}

// A node is believed about the pods that are bound to it only.
func TestANodeTellsOfItsOwnPods(t *testing.T) {
	m := served(t)
	m.points.put("node-2", said(t, 0, 1, 10), true)
	m.points.put("node-2", said(t, 10, 2, 1000), true)
	if got := m.web(t); len(got) != 0 {
		t.Errorf("another node's word: %+v", got)
	}
}

func TestHostileAnswers(t *testing.T) {
	for name, text := range map[string]string{
		"no metrics":   "<html>",
		"cut off":      "container_cpu_usage_seconds_total{container=\"a",
		"no figure":    "node_cpu_usage_seconds_total NaN\nnode_memory_working_set_bytes -1\n",
		"endless":      "node_cpu_usage_seconds_total 1e308\n",
		"of tomorrow":  fmt.Sprintf("node_cpu_usage_seconds_total 5 %d\n", begin.Add(24*time.Hour).UnixMilli()),
		"without name": "container_cpu_usage_seconds_total 5\n",
	} {
		a, err := read(strings.NewReader(text), begin)
		if err == nil && (a.node != (point{}) || len(a.containers) > 0) {
			t.Errorf("%s: %+v", name, a)
		}
	}
	long := strings.NewReader(strings.Repeat("node_cpu_usage_seconds_total 1\n", maxAnswer/16))
	_, _ = read(long, begin)
	if read := int(long.Size()) - long.Len(); read > maxAnswer+64<<10 {
		t.Errorf("%d bytes of an answer were read", read)
	}
}
