package store

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/tabernetes/tabernetes/core/store/etcdshim"
	"github.com/tabernetes/tabernetes/core/store/mvcc"
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
}

// Store is one etcd's worth of data. It is safe for concurrent use.
type Store struct {
	engine   *mvcc.Engine
	endpoint string
}

var opened atomic.Int64

// Open returns an empty store.
func Open(opts Options) (*Store, error) {
	e, err := mvcc.Open(mvcc.Options{
		HistoryRecords:   opts.HistoryRecords,
		HistoryBytes:     opts.HistoryBytes,
		ProgressInterval: opts.ProgressInterval,
	})
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	s := &Store{engine: e, endpoint: fmt.Sprintf("buntdb://store-%d", opened.Add(1))}
	// The only way a client can fail is an etcd client that the shim does not
	// fit; find out now.
	c, err := etcdshim.NewClient(e)
	if err != nil {
		_ = e.Close()
		return nil, fmt.Errorf("open store: %w", err)
	}
	_ = c.Close()
	return s, nil
}

// Close ends all watches of all clients and forgets the data.
func (s *Store) Close() error {
	if err := s.engine.Close(); err != nil {
		return fmt.Errorf("close store: %w", err)
	}
	return nil
}

// Client returns a new etcd client on the store. The caller closes it; that ends
// the watches made through it and nothing else.
func (s *Store) Client() *etcdshim.Client {
	c, err := etcdshim.NewClient(s.engine)
	if err != nil {
		panic(fmt.Sprintf("store: a client could be made in Open and cannot be made now: %v", err))
	}
	return c
}

// Endpoint is the store's name as an etcd server: what to put into
// storagebackend.TransportConfig.ServerList (--etcd-servers) to mean this store
// while it is installed. It is unique in the process.
func (s *Store) Endpoint() string { return s.endpoint }

// Status returns the store's counters.
func (s *Store) Status() mvcc.Status { return s.engine.Status() }
