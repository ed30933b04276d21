package etcdshim

import (
	"context"
	"errors"
	"strings"
	"sync"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/tabernetes/tabernetes/core/store/mvcc"
)

var _ clientv3.Watcher = (*watcher)(nil)

// watcher is a client's Watcher part: any number of watches, each a goroutine
// that reads from the engine and writes to the channel it gave out. It holds one
// response at a time; what a slow reader has not taken stays in the engine.
type watcher struct {
	*handle
	ctx   context.Context // ends with Close
	close context.CancelFunc

	mu   sync.Mutex
	open map[*mvcc.Watcher]watchOf
}

// watchOf is what a watch was asked for.
type watchOf struct {
	key      string
	progress bool
}

func newWatcher(h *handle) *watcher {
	ctx, cancel := context.WithCancel(h.ctx)
	return &watcher{handle: h, ctx: ctx, close: cancel, open: map[*mvcc.Watcher]watchOf{}}
}

// Close ends all watches of this client.
func (w *watcher) Close() error {
	w.close()
	return nil
}

// RequestProgress asks for a progress response on every watch of this client,
// after the events up to its revision. Unlike etcd's, which keeps one stream for
// each set of metadata in ctx, it does not look at ctx's values.
func (w *watcher) RequestProgress(ctx context.Context) error {
	if err := w.check(ctx); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for mw := range w.open {
		mw.RequestProgress()
	}
	return nil
}

// announce gives the watches under key that want progress a notification now. It
// is called when a key was read that does not exist, which is how storage asks for
// the latest revision before a consistent read from its watch cache (upstream:
// etcd3's GetCurrentResourceVersion gets the resource's prefix). The cache then has
// to see that revision on its watch, and would ask for it at most every 100 ms
// (k8s.io/apiserver/pkg/storage/cacher/progress); so it comes unasked. A server may
// notify such a watch at any time.
func (w *watcher) announce(key string) {
	key = strings.TrimSuffix(key, "/")
	w.mu.Lock()
	defer w.mu.Unlock()
	for mw, of := range w.open {
		if of.progress && strings.TrimSuffix(of.key, "/") == key {
			mw.RequestProgress()
		}
	}
}

// Watch implements clientv3.Watcher. The channel is closed when ctx, the client
// or the store ends; a compacted revision is told first. WithFragment changes
// nothing: responses have no size limit in memory, so none needs splitting.
func (w *watcher) Watch(ctx context.Context, key string, opts ...clientv3.OpOption) clientv3.WatchChan {
	out := make(chan clientv3.WatchResponse)
	op := clientv3.OpGet(key, opts...)
	flags := flagsOf(&op)
	mw, rev, err := w.start(ctx, &op, flags)
	if errors.Is(err, errRefused) {
		// Its Err() is ErrFutureRev whatever the reason, for which the
		// response has no exported field.
		failed := make(chan clientv3.WatchResponse, 1)
		failed <- clientv3.WatchResponse{Header: *header(rev), Canceled: true}
		close(failed)
		return failed
	}
	if err != nil {
		close(out) // nothing else to say: the one that asked is gone, or the store is
		return out
	}
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(w.ctx, cancel)
	go func() {
		defer close(out)
		defer cancel()
		defer stop()
		defer w.end(mw)
		if flags.created && !send(ctx, out, clientv3.WatchResponse{Header: *header(rev), Created: true}) {
			return
		}
		w.run(ctx, mw, key, flags.prevKV, out)
	}()
	return out
}

// errRefused is for a watch that cannot be: of an empty range, or from a negative
// revision.
var errRefused = errors.New("watch refused")

func (w *watcher) start(ctx context.Context, op *clientv3.Op, flags opFlags) (*mvcc.Watcher, int64, error) {
	if err := w.check(ctx); err != nil {
		return nil, 0, err
	}
	key, end := string(op.KeyBytes()), string(op.RangeBytes())
	if key == "" {
		key = "\x00" // the smallest key, as etcd's server reads it
	}
	if op.Rev() < 0 || end != "" && end != mvcc.ToEnd && end <= key {
		return nil, w.engine.Revision(), errRefused
	}
	mw, rev, err := w.engine.Watch(mvcc.WatchOptions{
		Key:      key,
		End:      end,
		Rev:      op.Rev(),
		NoPut:    flags.noPut,
		NoDelete: flags.noDelete,
		Progress: flags.progress,
	})
	if err != nil {
		return nil, rev, err
	}
	w.mu.Lock()
	w.open[mw] = watchOf{key: key, progress: flags.progress}
	w.mu.Unlock()
	return mw, rev, nil
}

func (w *watcher) end(mw *mvcc.Watcher) {
	w.mu.Lock()
	delete(w.open, mw)
	w.mu.Unlock()
	mw.Close()
}

// run forwards batches until the watch ends.
func (w *watcher) run(ctx context.Context, mw *mvcc.Watcher, key string, prevKV bool, out chan<- clientv3.WatchResponse) {
	for {
		b, err := mw.Next(ctx)
		var compacted *mvcc.CompactedError
		if errors.As(err, &compacted) {
			send(ctx, out, clientv3.WatchResponse{
				Header:          *header(compacted.Revision),
				CompactRevision: compacted.CompactRevision,
				Canceled:        true,
			})
			return
		}
		if err != nil {
			return
		}
		if !send(ctx, out, clientv3.WatchResponse{Header: *header(b.Revision), Events: toEvents(b.Events, prevKV)}) {
			return
		}
		w.told(key, b.Events)
	}
}

func send(ctx context.Context, out chan<- clientv3.WatchResponse, r clientv3.WatchResponse) bool {
	select {
	case out <- r:
		return true
	case <-ctx.Done():
		return false
	}
}

// toEvents converts in a fixed number of allocations.
func toEvents(changes []mvcc.Change, prevKV bool) []*clientv3.Event {
	if len(changes) == 0 {
		return nil
	}
	type slot struct {
		event    clientv3.Event
		kv, prev mvccpb.KeyValue
	}
	slab := make([]slot, len(changes))
	out := make([]*clientv3.Event, len(changes))
	for i := range changes {
		c, s := &changes[i], &slab[i]
		setKV(&s.kv, &c.KV)
		s.event.Kv = &s.kv
		if c.Delete {
			s.event.Type = clientv3.EventTypeDelete
		}
		if prevKV && c.Prev != nil {
			setKV(&s.prev, c.Prev)
			s.event.PrevKv = &s.prev
		}
		out[i] = &s.event
	}
	return out
}
