package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/tabernetes/tabernetes/core/store/etcdshim"
	"github.com/tabernetes/tabernetes/core/store/mvcc"
	"github.com/tabernetes/tabernetes/core/store/persist"
	"github.com/tabernetes/tabernetes/core/trace"
)

// Options configure a Store. The zero value is usable.
type Options struct {
	// HistoryRecords and HistoryBytes bound what is kept of the past for
	// watches that resume and lists that continue; the oldest is compacted.
	// 0 means mvcc's defaults (20,000 revisions, 32 MiB).
	HistoryRecords int
	HistoryBytes   int64
	// ProgressInterval is how often idle watches that asked for it are told
	// the revision they are at. 0 means one minute, a negative one never.
	ProgressInterval time.Duration
	// Path is a directory in which the store is kept, and from which it goes on.
	// Empty, and without Sink: in memory only.
	Path string
	// Sink is where else the store is kept. The store closes it.
	Sink persist.Sink
	// Repair has damage of what is in Sink set aside and repaired, which Lost tells of. Without it
	// opening fails.
	Repair bool
	// Keep says how.
	Keep persist.Options
	// Trace is told what is written and who is told of it; nil for nobody.
	Trace *trace.Bus
	// Initial is what a store that is new begins with. nil is nothing.
	Initial *mvcc.State
}

// journal returns where the store is kept, nil for nowhere.
func (o *Options) journal() (*persist.Log, error) {
	sink := o.Sink
	if o.Repair && sink != nil && o.Path == "" {
		return nil, nil // openRepaired's
	}
	if o.Path != "" {
		if sink != nil {
			return nil, errors.New("a store has a path or a sink, not both")
		}
		var err error
		if sink, err = persist.OpenDir(o.Path); err != nil {
			return nil, err
		}
	}
	if sink == nil {
		return nil, nil
	}
	return persist.Open(sink, o.Keep), nil
}

// Store is one etcd's worth of data. It is safe for concurrent use.
type Store struct {
	engine   *mvcc.Engine
	trace    *trace.Bus
	journal  *persist.Log // nil if it is in memory only
	endpoint string
	lost     []persist.Loss
}

var opened atomic.Int64

// Open returns a store with what was kept of it. It fails with a
// *persist.DamageError if that is not as it was written; see Repair.
func Open(opts Options) (*Store, error) {
	log, err := opts.journal()
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	engine := mvcc.Options{
		HistoryRecords:   opts.HistoryRecords,
		HistoryBytes:     opts.HistoryBytes,
		ProgressInterval: opts.ProgressInterval,
		Initial:          opts.Initial,
	}
	if log != nil {
		engine.Journal = log
	}
	var e *mvcc.Engine
	var lost []persist.Loss
	if log == nil && opts.Sink != nil {
		e, log, lost, err = openRepaired(opts, engine)
	} else if e, err = mvcc.Open(engine); err != nil && log != nil {
		err = errors.Join(err, log.Close())
	}
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	s := &Store{lost: lost, engine: e, trace: opts.Trace, journal: log, endpoint: fmt.Sprintf("buntdb://store-%d", opened.Add(1))}
	// The only way a client can fail is an etcd client that the shim does not
	// fit; find out now.
	c, err := etcdshim.NewClient(e, opts.Trace)
	if err != nil {
		_ = e.Close()
		return nil, fmt.Errorf("open store: %w", err)
	}
	_ = c.Close()
	return s, nil
}

// Read returns what is in the store at path, which is not open, and changes nothing. It fails with
// a *persist.DamageError as opening the store would.
func Read(path string) (mvcc.State, error) {
	if _, err := os.Stat(path); err != nil {
		return mvcc.State{}, fmt.Errorf("read store: %w", err)
	}
	sink, err := persist.OpenDir(path)
	if err != nil {
		return mvcc.State{}, fmt.Errorf("read store: %w", err)
	}
	defer sink.Close()
	return persist.Read(sink)
}

// Repair makes a store at path, which is not open, one that opens: it takes away
// what is damaged and what builds on it. rev is the revision at which the store is
// then. Without damage it changes nothing. Copy the directory before.
func Repair(path string) (rev int64, lost []persist.Loss, err error) {
	sink, err := persist.OpenDir(path)
	if err != nil {
		return 0, nil, fmt.Errorf("repair store: %w", err)
	}
	defer sink.Close()
	return persist.Repair(sink)
}

// Kept describes what keeps the store; ok is false if nothing does.
func (s *Store) Kept() (status persist.Status, ok bool) {
	if s.journal == nil {
		return status, false
	}
	return s.journal.Status(), true
}

// Lost is what a repair took away when the store was opened (Options.Repair).
func (s *Store) Lost() []persist.Loss { return s.lost }

// Close ends all watches of all clients. What is not kept is gone.
func (s *Store) Close() error {
	if err := s.engine.Close(); err != nil {
		return fmt.Errorf("close store: %w", err)
	}
	return nil
}

// Client returns a new etcd client on the store. The caller closes it; that ends
// the watches made through it and nothing else.
func (s *Store) Client() *etcdshim.Client {
	c, err := etcdshim.NewClient(s.engine, s.trace)
	if err != nil {
		panic(fmt.Sprintf("store: a client could be made in Open and cannot be made now: %v", err))
	}
	return c
}

// Endpoint is the store's name as an etcd server: what to put into
// storagebackend.TransportConfig.ServerList (--etcd-servers) to mean this store
// while it is installed. It is unique in the process.
func (s *Store) Endpoint() string { return s.endpoint }

// State copies what is in the store: to be written as an etcd snapshot
// (core/store/etcdfile), or to begin another store with.
func (s *Store) State() (mvcc.State, error) { return s.engine.State() }

// Status returns the store's counters.
func (s *Store) Status() mvcc.Status { return s.engine.Status() }

// Update writes beside the store's clients, as Engine.Update does. It is for who puts back what the store once held
// (core/checkpoint): whatever else writes does it as a client.
func (s *Store) Update(fn func(*mvcc.Tx) error) (rev int64, err error) { return s.engine.Update(fn) }

// Ahead is what keeps the store, and has been written by a program of whose memory this one is an image. It changes
// nothing.
func (s *Store) Ahead() (persist.Ahead, error) {
	if s.journal == nil {
		return persist.Ahead{}, errors.New("nothing keeps the store")
	}
	return s.journal.Ahead()
}

// GoOn takes that over, as writes that clients see, and goes on above every revision that was given out, which the
// content of persist.RevisionsFile says.
func (s *Store) GoOn(a persist.Ahead, revisions []byte) error {
	return s.engine.GoOn(a.Entries, func() (int64, error) { return s.journal.GoOn(a, revisions) })
}

// Follow tells what is written from now on, until ctx ends. It fails if tell is so slow that what it is to be told of
// is forgotten.
func (s *Store) Follow(ctx context.Context, tell func([]mvcc.Change)) error {
	w, _, err := s.engine.Watch(mvcc.WatchOptions{Key: mvcc.ToEnd, End: mvcc.ToEnd})
	if err != nil {
		return err
	}
	defer w.Close()
	for {
		b, err := w.Next(ctx)
		if err != nil {
			return err
		}
		tell(b.Events)
	}
}
