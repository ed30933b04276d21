package fsnotify

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// pollEvery is how often watched paths are looked at. They are in memory: a look at a directory
// costs microseconds.
const pollEvery = 250 * time.Millisecond

var defaultBufferSize = 0

// poller tells of changes by comparing what it sees with what it saw last.
type poller struct {
	events chan Event
	errors chan error
	done   chan struct{}
	once   sync.Once // of Close

	mu      sync.Mutex
	watched map[string]listing // by path as it was added
	closed  bool
	telling bool // what was seen last has not been taken yet
	ended   sync.WaitGroup
}

// polling has all pollers, and one goroutine looks for all of them: each that woke up by itself would wake the tab.
var polling struct {
	mu      sync.Mutex
	pollers map[*poller]bool
	running bool
}

// listing is what was seen of a watched path: the entries of a directory, or the file itself.
type listing map[string]mark

// mark changes whenever a file does.
type mark struct {
	modified time.Time
	size     int64
	mode     fs.FileMode
	target   string // of a symbolic link
}

func newBackend(ev chan Event, errs chan error) (backend, error) {
	w := &poller{events: ev, errors: errs, done: make(chan struct{}), watched: map[string]listing{}}
	polling.mu.Lock()
	defer polling.mu.Unlock()
	if polling.pollers == nil {
		polling.pollers = map[*poller]bool{}
	}
	polling.pollers[w] = true
	if !polling.running {
		polling.running = true
		go poll()
	}
	return w, nil
}

// poll looks at what is watched until nobody watches any more.
func poll() {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for range tick.C {
		polling.mu.Lock()
		if len(polling.pollers) == 0 {
			polling.running = false
			polling.mu.Unlock()
			return
		}
		all := make([]*poller, 0, len(polling.pollers))
		for w := range polling.pollers {
			all = append(all, w)
		}
		polling.mu.Unlock()
		seen := map[string]sight{}
		for _, w := range all {
			w.poll(seen)
		}
	}
}

// sight is what was seen of a path in one round: several pollers watch the same.
type sight struct {
	listing listing
	err     error
}

// poll looks, and has what happened told, which takes as long as who watches takes: meanwhile it does not look again.
func (w *poller) poll(seen map[string]sight) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || w.telling {
		return
	}
	events := w.look(seen)
	if len(events) == 0 {
		return
	}
	w.telling = true
	w.ended.Add(1)
	go func() {
		defer w.ended.Done()
		for _, e := range events {
			select {
			case w.events <- e:
			case <-w.done:
				return
			}
		}
		w.mu.Lock()
		w.telling = false
		w.mu.Unlock()
	}()
}

// look compares every watched path with what was seen of it and returns what happened. w.mu is held.
func (w *poller) look(seen map[string]sight) []Event {
	var events []Event
	for path, before := range w.watched {
		s, known := seen[path]
		if !known {
			s.listing, s.err = list(path)
			seen[path] = s
		}
		now := s.listing
		if s.err != nil {
			events = append(events, Event{Name: path, Op: Remove})
			delete(w.watched, path)
			continue
		}
		for name, m := range now {
			old, known := before[name]
			switch {
			case !known:
				events = append(events, Event{Name: name, Op: Create})
			case old != m:
				events = append(events, Event{Name: name, Op: Write})
			}
		}
		for name := range before {
			if _, there := now[name]; !there {
				events = append(events, Event{Name: name, Op: Remove})
			}
		}
		w.watched[path] = now
	}
	return events
}

func list(path string) (listing, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return listing{path: markOf(path, info)}, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	l := listing{}
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			name := filepath.Join(path, e.Name())
			l[name] = markOf(name, info)
		}
	}
	return l, nil
}

func markOf(name string, info fs.FileInfo) mark {
	m := mark{modified: info.ModTime(), size: info.Size(), mode: info.Mode()}
	if info.Mode()&fs.ModeSymlink != 0 {
		m.target, _ = os.Readlink(name)
	}
	return m
}

func (w *poller) Add(name string) error { return w.AddWith(name) }

func (w *poller) AddWith(name string, _ ...addOpt) error {
	select {
	case <-w.done:
		return ErrClosed
	default:
	}
	path := filepath.Clean(name)
	seen, err := list(path)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, known := w.watched[path]; !known {
		w.watched[path] = seen
	}
	return nil
}

func (w *poller) Remove(name string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	path := filepath.Clean(name)
	if _, known := w.watched[path]; !known {
		return ErrNonExistentWatch
	}
	delete(w.watched, path)
	return nil
}

func (w *poller) WatchList() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	names := make([]string, 0, len(w.watched))
	for name := range w.watched {
		names = append(names, name)
	}
	return names
}

// Close closes both channels, as upstream's backends do.
func (w *poller) Close() error {
	w.once.Do(func() {
		polling.mu.Lock()
		delete(polling.pollers, w)
		polling.mu.Unlock()
		w.mu.Lock()
		w.closed = true
		w.mu.Unlock()
		close(w.done)
		w.ended.Wait()
		close(w.events)
		close(w.errors)
	})
	return nil
}

func (w *poller) xSupports(Op) bool { return false }
