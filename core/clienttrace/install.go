package clienttrace

import (
	"strconv"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/tabernetes/tabernetes/core/goroutine"
	"github.com/tabernetes/tabernetes/core/trace"
)

// componentLabel names the component that a goroutine is of.
const componentLabel = "component"

// Component has all that the calling goroutine starts be told as of the component; it is called where
// one begins.
func Component(bus *trace.Bus, name string) {
	if bus != nil {
		goroutine.Mark(componentLabel, name)
	}
}

// component is whose goroutine calls.
func component() string {
	if name := goroutine.Value(componentLabel); name != "" {
		return name
	}
	return "client-go"
}

// installed is the bus that is told; hooks are one for a process, as a cluster is.
var installed atomic.Pointer[taps]

type taps struct {
	bus     *trace.Bus
	events  recent
	reading reading
}

// Install has bus told from now on, of queues that are made from now on, until uninstall.
func Install(bus *trace.Bus) (uninstall func()) {
	if bus == nil {
		return func() {}
	}
	t := &taps{bus: bus}
	installed.Store(t)
	hook()
	return func() { installed.CompareAndSwap(t, nil) }
}

// revision is an object's resourceVersion as a number; 0 if it has none.
func revision(object any) int64 {
	m, err := meta.Accessor(object)
	if err != nil {
		return 0
	}
	n, _ := strconv.ParseInt(m.GetResourceVersion(), 10, 64)
	return n
}
