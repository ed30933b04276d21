package resourcemetrics

import (
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
)

// Resolution is how often nodes are asked; metrics-server's default.
const Resolution = 15 * time.Second

// points are the last two answers of each node.
type points struct {
	mu   sync.Mutex
	last map[string]answer
	prev map[string]answer
}

// usage is what was used in a window of time that ended at a time.
type usage struct {
	at     time.Time
	window time.Duration
	list   corev1.ResourceList
}

// put takes an answer of a node up, and tells whether it says anything new; of one that did not answer, and of one that
// has gone, nothing is known.
func (p *points) put(node string, a answer, ok bool) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last == nil {
		p.last, p.prev = map[string]answer{}, map[string]answer{}
	}
	if !ok {
		delete(p.last, node)
		delete(p.prev, node)
		return false
	}
	if before, had := p.last[node]; had {
		if !a.node.at.After(before.node.at) {
			return false // the kubelet has not looked since
		}
		p.prev[node] = before
	}
	p.last[node] = a
	return true
}

// known are the nodes that have answered.
func (p *points) known() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var names []string
	for name := range p.last {
		names = append(names, name)
	}
	return names
}

// node is what a node uses; false if it is not known.
func (p *points) node(name string) (usage, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	last, ok := p.last[name]
	prev, had := p.prev[name]
	if !ok || !had {
		return usage{}, false
	}
	return between(prev.node, last.node)
}

// pod is what each container of a pod uses that is bound to a node; empty if nothing is known.
func (p *points) pod(node string, pod types.NamespacedName, containers []string) map[string]usage {
	p.mu.Lock()
	defer p.mu.Unlock()
	found := map[string]usage{}
	for _, name := range containers {
		of := container{pod, name}
		last, ok := p.last[node].containers[of]
		if !ok {
			continue
		}
		prev, had := p.prev[node].containers[of]
		if !had || last.started.After(prev.at) {
			// One that has just started had used nothing then (metrics-server, pkg/storage/pod.go).
			if last.started.IsZero() || last.at.Sub(last.started) > 2*Resolution {
				continue
			}
			prev = point{at: last.started}
		}
		if u, ok := between(prev, last); ok {
			found[name] = u
		}
	}
	return found
}

// between is the usage between two points; false if there is no time between them, or time went back.
func between(prev, last point) (usage, bool) {
	window := last.at.Sub(prev.at)
	if window <= 0 || last.cpu < prev.cpu {
		return usage{}, false
	}
	nanocores := (last.cpu - prev.cpu) / window.Seconds() * 1e9
	return usage{at: last.at, window: window, list: corev1.ResourceList{
		corev1.ResourceCPU:    *resource.NewScaledQuantity(int64(nanocores), resource.Nano),
		corev1.ResourceMemory: *resource.NewQuantity(int64(last.memory), resource.BinarySI),
	}}, true
}
