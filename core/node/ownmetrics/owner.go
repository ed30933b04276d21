package ownmetrics

import (
	"context"
	"strconv"
	"sync"

	"k8s.io/component-base/metrics"

	"github.com/tabernetes/tabernetes/core/goroutine"
)

// mark is what goroutines of a kubelet have: the number of the kubelet in this process, as a node that starts again has
// another kubelet of its name.
const mark = "kubelet"

// owner is a kubelet: its goroutines have labels of their own.
type owner struct {
	value      any
	collectors metrics.KubeRegistry // what its goroutines have registered of its state
	ended      func() error         // is not nil when it has
}

// owners are the kubelets of this process, by their marks.
var owners = struct {
	sync.RWMutex
	by map[string]*owner
}{by: map[string]*owner{}}

// Begin runs start, whose goroutines are those of a kubelet from then on: what they register and measure is its own,
// and value is what Mine gives them. Profiles show them by the node's name, too. When ctx ends, what they have measured
// is forgotten, and what they measure then is kept nowhere.
func Begin(ctx context.Context, node string, value any, start func(context.Context)) {
	o := &owner{value: value, collectors: metrics.NewKubeRegistry(), ended: ctx.Err}
	owners.Lock()
	name := strconv.Itoa(len(owners.by) + 1)
	owners.by[name] = o
	owners.Unlock()
	context.AfterFunc(ctx, func() { forget(o) })
	defer goroutine.Mark("node", node)()
	defer goroutine.Mark(mark, name)()
	start(ctx)
}

// Mine is the value of the kubelet that this goroutine belongs to, or nil.
func Mine() any {
	if o := mine(); o != nil {
		return o.value
	}
	return nil
}

// mine is the kubelet that this goroutine belongs to, or nil.
func mine() *owner {
	name := goroutine.Value(mark)
	if name == "" {
		return nil
	}
	owners.RLock()
	defer owners.RUnlock()
	return owners.by[name]
}
