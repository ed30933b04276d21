package etcdshim

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// segment is what one watch saw: all events of [key, end) of the revisions from..to.
type segment struct {
	key, end string
	from, to int64
	prevKV   bool
	events   []*clientv3.Event
	// ended is the revision up to which each response was complete, with how
	// many events there were by then.
	ended []complete
}

type complete struct {
	rev    int64
	events int
}

// observer watches a range, at times slowly, at times from the past, and resumes
// where it ended, as an informer does.
type observer struct {
	h    *history
	c    *Client
	r    *rand.Rand
	stop chan struct{} // closed when nothing more will be written
}

var ranges = [][2]string{
	{"/r/", "/r0"}, {"/r/a/", "/r/a0"}, {"/r/b/", "/r/b0"}, {"/r/a/3", ""}, {"/r/a/7", "/r/b/5"}, {"/", "0"},
}

func (o *observer) run(t *testing.T) {
	rg := ranges[o.r.IntN(len(ranges))]
	from := 1 + o.r.Int64N(o.h.latest.Load()+5)
	for {
		s := segment{key: rg[0], end: rg[1], from: from, to: from - 1, prevKV: o.r.IntN(4) > 0}
		compacted, err := o.watch(t, &s)
		if err != nil {
			t.Errorf("watch of %v from %d: %v", rg, from, err)
			return
		}
		o.h.mu.Lock()
		o.h.seen = append(o.h.seen, s)
		o.h.mu.Unlock()
		from = max(s.to+1, compacted)
		if o.stopped() && compacted == 0 && s.to >= o.h.engine.Revision() {
			return
		}
	}
}

func (o *observer) stopped() bool {
	select {
	case <-o.stop:
		return true
	default:
		return false
	}
}

// watch fills a segment, for as long as it likes, or, when nothing more is written,
// until it knows that it has everything. If its place is compacted it returns the
// revision from which it may go on.
func (o *observer) watch(t *testing.T, s *segment) (compacted int64, err error) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	opts := []clientv3.OpOption{clientv3.WithRev(s.from)}
	if s.end != "" {
		opts = append(opts, clientv3.WithRange(s.end))
	}
	if s.prevKV {
		opts = append(opts, clientv3.WithPrevKV())
	}
	if o.r.IntN(2) == 0 {
		opts = append(opts, clientv3.WithProgressNotify())
	}
	ch := o.c.Watch(ctx, s.key, opts...)
	ask := time.NewTicker(5 * time.Millisecond)
	defer ask.Stop()
	for patience := 1 + o.r.IntN(60); patience > 0 || o.stopped(); patience-- {
		select {
		case r, open := <-ch:
			if !open {
				return 0, fmt.Errorf("closed: %w", ctx.Err())
			}
			if r.CompactRevision != 0 {
				return r.CompactRevision, nil
			}
			if err := r.Err(); err != nil {
				return 0, err
			}
			o.take(s, &r)
		case <-ask.C:
			if err := o.c.RequestProgress(ctx); err != nil {
				return 0, err
			}
		}
		if o.stopped() && s.to >= o.h.engine.Revision() {
			return 0, nil
		}
		switch o.r.IntN(40) {
		case 0:
			time.Sleep(time.Duration(o.r.IntN(20)) * time.Millisecond)
		case 1:
			runtime.Gosched()
		}
	}
	return 0, nil
}

// take: events make complete the revisions that they are of; without any, the
// response makes so all up to its own.
func (o *observer) take(s *segment, r *clientv3.WatchResponse) {
	s.events = append(s.events, r.Events...)
	switch n := len(r.Events); {
	case n > 0:
		s.to = max(s.to, r.Events[n-1].Kv.ModRevision)
	case !r.Created:
		s.to = max(s.to, r.Header.Revision)
	}
	s.ended = append(s.ended, complete{s.to, len(s.events)})
}

func (h *history) checkWatches(t *testing.T, ref *reference, compacted int64) {
	t.Helper()
	events := 0
	for _, s := range h.seen {
		if err := s.check(ref, compacted); err != nil {
			t.Fatalf("watch of [%s, %s) from %d: %v", s.key, s.end, s.from, err)
		}
		events += len(s.events)
	}
	t.Logf("%d watches, %d events", len(h.seen), events)
	if events < len(ref.events) {
		t.Errorf("watches saw %d events, fewer than there are (%d): the test proves little", events, len(ref.events))
	}
}

func (s *segment) check(ref *reference, compacted int64) error {
	want := ref.eventsOf(s.key, s.end, s.from, s.to)
	if len(s.events) != len(want) {
		return fmt.Errorf("%d events up to %d, want %d", len(s.events), s.to, len(want))
	}
	for i, got := range s.events {
		w := want[i]
		if (got.Type == clientv3.EventTypeDelete) != w.del || string(got.Kv.Key) != string(w.kv.Key) ||
			got.Kv.ModRevision != w.revision || !w.del && !same(got.Kv, w.kv) {
			return fmt.Errorf("event %d is %v, want %v at %d", i, got, &w.kv, w.revision)
		}
		switch {
		case !s.prevKV && got.PrevKv != nil:
			return fmt.Errorf("event %d has a previous version that nobody asked for", i)
		case s.prevKV && got.PrevKv == nil && w.revision <= compacted:
			// It may be compacted while its event is not.
		case s.prevKV && !same(got.PrevKv, w.prev):
			return fmt.Errorf("event %d at %d: previous %v, want %v", i, w.revision, got.PrevKv, &w.prev)
		}
	}
	for _, c := range s.ended {
		if n := len(ref.eventsOf(s.key, s.end, s.from, c.rev)); n != c.events {
			return fmt.Errorf("%d events by revision %d, want %d: a revision came in parts, or late", c.events, c.rev, n)
		}
	}
	return nil
}
