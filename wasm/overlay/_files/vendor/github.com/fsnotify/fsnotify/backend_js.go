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
	ended   sync.WaitGroup
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
	w.ended.Add(1)
	go w.run()
	return w, nil
}

func (w *poller) run() {
	defer w.ended.Done()
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		select {
		case <-w.done:
			return
		case <-tick.C:
		}
		for _, e := range w.look() {
			select {
			case w.events <- e:
			case <-w.done:
				return
			}
		}
	}
}

// look compares every watched path with what was seen of it and returns what happened.
func (w *poller) look() []Event {
	w.mu.Lock()
	defer w.mu.Unlock()
	var events []Event
	for path, before := range w.watched {
		now, err := list(path)
		if err != nil {
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
		close(w.done)
		w.ended.Wait()
		close(w.events)
		close(w.errors)
	})
	return nil
}

func (w *poller) xSupports(Op) bool { return false }
