//go:build !js

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/kubernetes"
)

// measurement is one figure; lower is better for all of them.
type measurement struct {
	name, unit string
	run        func(context.Context, *subject) (float64, error)
}

var puts = []measurement{{"put", "us", measurePut}, {"put_64_writers", "us", measureManyWriters}}

var all = append(puts[:2:2],
	measurement{"get", "us", measureGet},
	measurement{"list_10000", "ms", measureList},
	measurement{"watch_fanout_1000", "ms", measureFanOut},
	measurement{"memory_per_revision", "bytes", measureMemory},
)

const valueBytes = 3000

func key(i int) string { return fmt.Sprintf("/registry/pods/ns-%d/pod-%08d", i%10, i) }

func put(ctx context.Context, s *subject, k string, expected int64) (int64, error) {
	value := make([]byte, valueBytes)
	resp, err := s.client.Kubernetes.OptimisticPut(ctx, k, value, expected, kubernetes.PutOptions{})
	if err == nil && !resp.Succeeded {
		err = errors.New("the key was not as expected")
	}
	return resp.Revision, err
}

// repeat returns the median time of f in µs, over so many calls, in groups, so that
// short ones can be told.
func repeat(groups, calls int, f func(i int) error) (float64, error) {
	var ds []time.Duration
	for g := range groups {
		begin := time.Now()
		for i := range calls {
			if err := f(g*calls + i); err != nil {
				return 0, err
			}
		}
		ds = append(ds, time.Since(begin))
	}
	return float64(median(ds).Nanoseconds()) / 1e3 / float64(calls), nil
}

// measurePut creates keys, one after the other.
func measurePut(ctx context.Context, s *subject) (float64, error) {
	return repeat(21, 100, func(i int) error {
		_, err := put(ctx, s, key(i), 0)
		return err
	})
}

// measureManyWriters creates keys, 64 at a time, as the requests of an apiserver do: the time that
// one takes of all.
func measureManyWriters(ctx context.Context, s *subject) (float64, error) {
	const n = 640
	round := 0
	us, err := repeat(11, 1, func(int) error {
		round++
		return write(ctx, s, (round-1)*n, round*n, 64)
	})
	return us / n, err
}

// measureGet reads one of 1,000 keys.
func measureGet(ctx context.Context, s *subject) (float64, error) {
	if err := fill(ctx, s, 1000); err != nil {
		return 0, err
	}
	return repeat(21, 200, func(i int) error {
		resp, err := s.client.Kubernetes.Get(ctx, key(i%1000), kubernetes.GetOptions{})
		if err == nil && resp.KV == nil {
			err = errors.New("the key is gone")
		}
		return err
	})
}

// measureList reads 10,000 keys at once. etcd's answer is larger than gRPC's usual
// limit, which its client lifts.
func measureList(ctx context.Context, s *subject) (float64, error) {
	const n = 10_000
	if err := fill(ctx, s, n); err != nil {
		return 0, err
	}
	us, err := repeat(7, 1, func(int) error {
		resp, err := s.client.Kubernetes.List(ctx, "/registry/pods/", kubernetes.ListOptions{})
		if err == nil && len(resp.Kvs) != n {
			err = fmt.Errorf("%d keys, want %d", len(resp.Kvs), n)
		}
		return err
	})
	return us / 1e3, err
}

// fill creates n keys, several at a time.
func fill(ctx context.Context, s *subject, n int) error { return write(ctx, s, 0, n, 32) }

// write creates the keys of a range, by so many writers at a time.
func write(ctx context.Context, s *subject, from, to, writers int) error {
	errs := make(chan error, writers)
	for w := range writers {
		go func() {
			var err error
			for i := from + w; i < to && err == nil; i += writers {
				_, err = put(ctx, s, key(i), 0)
			}
			errs <- err
		}()
	}
	var err error
	for range writers {
		err = errors.Join(err, <-errs)
	}
	return err
}

// measureFanOut is the time from a write until 1,000 watchers have it.
func measureFanOut(ctx context.Context, s *subject) (float64, error) {
	const watchers = 1000
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ready, seen := make(chan error, watchers), make(chan error, watchers)
	for range watchers {
		ch := s.client.Watch(ctx, "/registry/pods/", clientv3.WithPrefix(), clientv3.WithPrevKV(), clientv3.WithCreatedNotify())
		go func() {
			for r := range ch {
				if r.Created {
					ready <- r.Err()
				}
				for range r.Events {
					seen <- r.Err()
				}
			}
		}()
	}
	wait := func(from chan error) error {
		for range watchers {
			select {
			case err := <-from:
				if err != nil {
					return err
				}
			case <-time.After(time.Minute):
				return errors.New("not all watchers were told")
			}
		}
		return nil
	}
	if err := wait(ready); err != nil {
		return 0, err
	}
	us, err := repeat(21, 1, func(i int) error {
		if _, err := put(ctx, s, key(i), 0); err != nil {
			return err
		}
		return wait(seen)
	})
	return us / 1e3, err
}

// measureMemory is what 5,000 revisions of ten keys add to the heap and the files.
func measureMemory(ctx context.Context, s *subject) (float64, error) {
	const revisions, keys = 5000, 10
	var latest [keys]int64
	write := func(n int) error {
		for i := range n {
			rev, err := put(ctx, s, key(i%keys), latest[i%keys])
			if err != nil {
				return err
			}
			latest[i%keys] = rev
		}
		return nil
	}
	size := func() (int64, error) {
		files, err := s.files(ctx)
		return heap() + files, err
	}
	if err := write(1000); err != nil {
		return 0, err
	}
	before, err := size()
	if err != nil {
		return 0, err
	}
	if err := write(revisions); err != nil {
		return 0, err
	}
	after, err := size()
	return float64(after-before) / revisions, err
}
