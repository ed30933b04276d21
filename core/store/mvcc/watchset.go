package mvcc

import (
	"slices"
	"time"
)

// watchGroup is the watchers of one range. Kubernetes has few ranges (one for
// each resource) and possibly many watchers in each, so a commit compares its
// keys with ranges, not with watchers.
type watchGroup struct {
	key, end string
	members  []*Watcher
}

// watcherSet is all watchers of an engine. Guarded by Engine.mu.
type watcherSet struct {
	groups []*watchGroup
	count  int
}

func (s *watcherSet) add(w *Watcher) {
	i := slices.IndexFunc(s.groups, func(g *watchGroup) bool {
		return g.key == w.opts.Key && g.end == w.opts.End
	})
	if i < 0 {
		i = len(s.groups)
		s.groups = append(s.groups, &watchGroup{key: w.opts.Key, end: w.opts.End})
	}
	w.group = s.groups[i]
	w.group.members = append(w.group.members, w)
	s.count++
}

func (s *watcherSet) remove(w *Watcher) {
	g := w.group
	if g == nil {
		return
	}
	w.group = nil
	s.count--
	g.members = slices.DeleteFunc(g.members, func(m *Watcher) bool { return m == w })
	if len(g.members) == 0 {
		s.groups = slices.DeleteFunc(s.groups, func(o *watchGroup) bool { return o == g })
	}
}

// wake tells the watchers of the changed keys that there is something to read.
// It never blocks. Caller must hold mu for writing.
func (s *watcherSet) wake(r Record) {
	for _, g := range s.groups {
		touched := slices.ContainsFunc(r.Changes, func(c Change) bool {
			return contains(g.key, g.end, c.KV.Key)
		})
		if !touched {
			continue
		}
		for _, w := range g.members {
			if r.Rev < w.opts.Rev {
				continue // a watch from a future revision
			}
			if w.pending == 0 {
				w.pending = r.Rev
			}
			w.poke()
		}
	}
}

// wakeBehind tells the watchers that lost their place to a compaction at rev.
// Caller must hold mu for writing.
func (s *watcherSet) wakeBehind(rev int64) {
	for _, g := range s.groups {
		for _, w := range g.members {
			if w.pending != 0 && w.pending < rev {
				w.poke()
			}
		}
	}
}

// notifyProgress gives the watchers that asked for it a progress notification
// for each interval without events, until the engine is closed.
func (e *Engine) notifyProgress(interval time.Duration) {
	t := time.NewTicker(interval)
	defer t.Stop()
	for {
		select {
		case <-t.C:
		case <-e.done:
			return
		}
		e.mu.RLock()
		for _, g := range e.watchers.groups {
			for _, w := range g.members {
				if w.opts.Progress && !w.busy.Swap(false) {
					w.RequestProgress()
				}
			}
		}
		e.mu.RUnlock()
	}
}
