package decision

import (
	"container/list"
	"sync"
)

// maxLog is what the latest decisions may hold together, in bytes.
const maxLog = 2 << 20

// Log has the latest decision of each pod, the oldest of them first to go. It is safe for concurrent
// use.
type Log struct {
	mu    sync.Mutex
	byPod map[podName]*list.Element
	order list.List // of *Decision, the oldest in front
	bytes int
}

type podName struct{ namespace, name string }

// Latest is the last decision about a pod; nil if none is kept.
func (l *Log) Latest(namespace, name string) *Decision {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.byPod[podName{namespace, name}]; e != nil {
		return e.Value.(*Decision)
	}
	return nil
}

// keep puts a decision in, which nobody changes from now on.
func (l *Log) keep(d *Decision) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byPod == nil {
		l.byPod = map[podName]*list.Element{}
	}
	if e := l.byPod[podName{d.Namespace, d.Name}]; e != nil {
		l.remove(e)
	}
	l.byPod[podName{d.Namespace, d.Name}] = l.order.PushBack(d)
	for l.bytes += d.size(); l.bytes > maxLog && l.order.Len() > 1; {
		l.remove(l.order.Front())
	}
}

// remove is called with mu held.
func (l *Log) remove(e *list.Element) {
	d := l.order.Remove(e).(*Decision)
	delete(l.byPod, podName{d.Namespace, d.Name})
	l.bytes -= d.size()
}
