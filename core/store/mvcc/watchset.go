package mvcc

import (
	"slices"
	"time"
)

// span is the range of a group of watchers, as in Query.
type span struct{ key, end string }

// directory tells whether the span is all keys below a key that ends in a slash,
// as the watches of Kubernetes' resources are.
func (p span) directory() bool {
	n := len(p.key) - 1
	return n >= 0 && p.key[n] == '/' && len(p.end) == n+1 && p.end[:n] == p.key[:n] && p.end[n] == '/'+1
}

// watchGroup is the watchers of one span.
type watchGroup []*Watcher

// watcherSet is all watchers of an engine. Guarded by Engine.mu.
//
// Kubernetes has a watch for each of its hundred resources, so a commit must not
// compare its keys with each of them: it looks the spans up that it touches.
type watcherSet struct {
	groups map[span]*watchGroup
	// directories has the groups whose span is a directory, under its key.
	directories map[string]*watchGroup
	// odd has the spans that are neither a directory nor a single key.
	odd   []span
	count int
}

func (s *watcherSet) init() {
	s.groups = map[span]*watchGroup{}
	s.directories = map[string]*watchGroup{}
}

func (s *watcherSet) add(w *Watcher) {
	p := w.span()
	g := s.groups[p]
	if g == nil {
		g = &watchGroup{}
		s.groups[p] = g
		switch {
		case p.directory():
			s.directories[p.key] = g
		case p.end != "":
			s.odd = append(s.odd, p)
		}
	}
	*g = append(*g, w)
	s.count++
}

// remove takes w out, if it is in.
func (s *watcherSet) remove(w *Watcher) {
	p := w.span()
	g := s.groups[p]
	if g == nil {
		return
	}
	before := len(*g)
	*g = slices.DeleteFunc(*g, func(m *Watcher) bool { return m == w })
	s.count -= before - len(*g)
	if len(*g) > 0 {
		return
	}
	delete(s.groups, p)
	if p.directory() {
		delete(s.directories, p.key)
	}
	s.odd = slices.DeleteFunc(s.odd, func(o span) bool { return o == p })
}

// wake tells the watchers of the changed keys that there is something to read.
// It never blocks. Caller must hold mu for writing.
func (s *watcherSet) wake(r Record) {
	if s.count == 0 {
		return
	}
	for i := range r.Changes {
		key := r.Changes[i].KV.Key
		s.groups[span{key: key}].wake(r.Rev)
		for n := range len(key) {
			if key[n] == '/' {
				s.directories[key[:n+1]].wake(r.Rev)
			}
		}
		for _, p := range s.odd {
			if contains(p.key, p.end, key) {
				s.groups[p].wake(r.Rev)
			}
		}
	}
}

func (g *watchGroup) wake(rev int64) {
	if g == nil {
		return
	}
	for _, w := range *g {
		if rev < w.opts.Rev {
			continue // a watch from a future revision
		}
		if w.pending == 0 {
			w.pending = rev
		}
		w.poke()
	}
}

// wakeBehind tells the watchers that lost their place to a compaction at rev.
// Caller must hold mu for writing.
func (s *watcherSet) wakeBehind(rev int64) {
	for _, g := range s.groups {
		for _, w := range *g {
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
			for _, w := range *g {
				if w.opts.Progress && !w.busy.Swap(false) {
					w.RequestProgress()
				}
			}
		}
		e.mu.RUnlock()
	}
}
