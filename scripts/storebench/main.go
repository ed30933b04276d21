//go:build !js

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/tabernetes/tabernetes/core/store"
	"github.com/tabernetes/tabernetes/core/store/etcdshim"
	"github.com/tabernetes/tabernetes/scripts/etcdtest"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "storebench:", err)
		os.Exit(1)
	}
}

// subject is what is measured.
type subject struct {
	name   string
	client *etcdshim.Client
	close  func() error
	// files is the size of what it holds outside Go's heap, in bytes.
	files func(context.Context) (int64, error)
}

func run(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "bench-store-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for _, m := range []struct {
		open    func(dir string) (*subject, error)
		measure []measurement
	}{
		{openStore(store.Options{}), all},
		{openEtcd(false), all},
		{openKept, puts},
		{openEtcd(true), puts},
	} {
		if err := measure(ctx, dir, m.open, m.measure); err != nil {
			return err
		}
	}
	printRatios()
	return nil
}

func measure(ctx context.Context, parent string, open func(string) (*subject, error), ms []measurement) error {
	for _, m := range ms {
		dir, err := os.MkdirTemp(parent, "")
		if err != nil {
			return err
		}
		s, err := open(dir)
		if err != nil {
			return err
		}
		value, err := m.run(ctx, s)
		if err := errors.Join(err, s.close()); err != nil {
			return fmt.Errorf("%s %s: %w", s.name, m.name, err)
		}
		report(s.name, m, value)
	}
	return nil
}

func openStore(opts store.Options) func(string) (*subject, error) {
	return func(string) (*subject, error) {
		s, err := store.Open(opts)
		if err != nil {
			return nil, err
		}
		c := s.Client()
		return &subject{
			name:   "store",
			client: c,
			close: func() error {
				_ = c.Close() // says that its context was cancelled
				return s.Close()
			},
			files: func(context.Context) (int64, error) { return 0, nil },
		}, nil
	}
}

func openKept(dir string) (*subject, error) {
	s, err := openStore(store.Options{Path: dir})("")
	if err == nil {
		s.name = "kept_store"
	}
	return s, err
}

func openEtcd(fsync bool) func(string) (*subject, error) {
	return func(dir string) (*subject, error) {
		e, err := etcdtest.Start(etcdtest.Options{Dir: dir, Fsync: fsync})
		if err != nil {
			return nil, err
		}
		c, err := e.Client()
		if err != nil {
			e.Close()
			return nil, err
		}
		s := &subject{name: "etcd", client: c}
		if fsync {
			s.name = "synced_etcd"
		}
		s.close = func() error {
			_ = c.Close()
			e.Close()
			return nil
		}
		s.files = func(ctx context.Context) (int64, error) {
			st, err := c.Status(ctx, e.URL)
			if err != nil {
				return 0, err
			}
			return st.DbSize, nil
		}
		return s, nil
	}
}

// heap is what Go has in use, in bytes.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// median is the middle of some durations.
func median(ds []time.Duration) time.Duration {
	slices.Sort(ds)
	return ds[len(ds)/2]
}
