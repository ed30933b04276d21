package apitrace

import "strings"

// Answer is where a handler that reads has its answer from, as far as upstream's moments say so.
type Answer struct {
	// From is fromCache or fromEtcd; empty of handlers that write.
	From string `json:"from,omitempty"`
	// Items is the number of objects of a list's answer, nil of what is no list.
	Items *int64 `json:"items,omitempty"`
}

const (
	fromCache = "watch cache"
	fromEtcd  = "etcd"
)

// readings are the moments in which it is decided where an answer comes from, in upstream's words
// (k8s.io/apiserver/pkg/storage/cacher, delegator.go and cacher.go). TestTraceTrees holds them.
var readings = map[string]string{
	"About to Get from underlying storage":                         fromEtcd,
	"About to Get from underlying storage - cache not initialized": fromEtcd,
	"About to fetch object from cache":                             fromCache,
	"Listed items from cache":                                      fromCache,
}

// learn takes what a moment says of the answer; counted is set if it counts objects. A cache that is behind
// may be asked first and etcd after it: the last one is right.
func (h *Handled) learn(m Moment, counted bool) {
	if !reads[h.Handler] {
		return
	}
	if from := readings[m.What]; from != "" {
		h.From = from
	}
	if counted {
		count := int64(m.Count)
		h.Items = &count
	}
}

// calls hears of what the handler calls. A list that no cache can answer says so by its span alone.
func (w *work) calls(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.told && reads[w.details.Handler] && strings.HasSuffix(name, " etcd3") {
		w.details.From = fromEtcd
	}
}
