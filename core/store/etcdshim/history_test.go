package etcdshim

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"

	"github.com/tabernetes/tabernetes/core/store/mvcc"
	"github.com/tabernetes/tabernetes/core/store/persist"
)

// A history is what several clients did at once, with what each was answered. Then
//
//   - the writes, in the order of their revisions, make a reference, without gaps;
//   - every answer, of reads now and in the past, of lists, pages, counts, failed
//     conditions, is what the reference says of its revision;
//   - no answer is older than one that was given before its request was made;
//   - each key is linearizable by itself, which porcupine decides;
//   - every watch has all events of its range from its first revision on, once, in
//     order, whole revisions at a time, with previous values, and progress is told
//     only of what was delivered;
//   - what the journal kept, if there is one, is the reference's last state.
const (
	roundOps   = 10_000 // of one history
	longRounds = 100
	clients    = 8
	watches    = 12
)

// call is one request and its answer.
type call struct {
	client     int
	begin, end int64 // by the history's clock
	// rev is the store's revision that came with the answer.
	rev int64
	// write is what it changed, nil for nothing.
	write *write
	// saw are the keys whose latest revision it tells.
	saw map[string]int64
	// check compares the answer with the reference.
	check func(*reference) error
}

// history collects calls.
type history struct {
	engine *mvcc.Engine
	clock  atomic.Int64
	left   atomic.Int64 // operations to be done
	latest atomic.Int64 // some revision that was seen lately

	mu    sync.Mutex
	calls []call
	seen  []segment
}

func TestHistories(t *testing.T) {
	rounds := 1
	if os.Getenv("TABERNETES_LONG") != "" {
		rounds = longRounds
	}
	seed := uint64(time.Now().UnixNano())
	if again := os.Getenv("TABERNETES_SEED"); again != "" { // of a history that failed
		var err error
		if seed, err = strconv.ParseUint(again, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	for round := range rounds {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			t.Logf("seed %d", seed+uint64(round))
			runHistory(t, seed+uint64(round), roundOps, round%2 == 0)
		})
	}
}

func runHistory(t *testing.T, seed uint64, ops int, keep bool) {
	opts := mvcc.Options{ProgressInterval: 20 * time.Millisecond, HistoryRecords: 4000}
	dir := t.TempDir()
	if keep {
		opts.Journal = openLog(t, dir)
	}
	e, err := mvcc.Open(opts)
	if err != nil {
		t.Fatal(err)
	}
	h := &history{engine: e}
	h.left.Store(int64(ops))
	h.latest.Store(1)

	var writers, watchers sync.WaitGroup
	stop := make(chan struct{})
	for i := range clients {
		c := h.client(t)
		writers.Go(func() { (&actor{h: h, c: c, id: i, r: rand.New(rand.NewPCG(seed, uint64(i)))}).run(t) })
	}
	for i := range watches {
		c := h.client(t)
		watchers.Go(func() {
			(&observer{h: h, c: c, r: rand.New(rand.NewPCG(seed, uint64(100+i))), stop: stop}).run(t)
		})
	}
	writers.Wait()
	close(stop)
	watchers.Wait()
	if t.Failed() {
		return
	}
	compacted := e.Status().CompactRevision
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	ref := h.reference(t)
	h.checkAnswers(t, ref)
	h.checkOrder(t)
	h.checkKeys(t, ref)
	h.checkWatches(t, ref, compacted)
	if keep {
		checkKept(t, dir, ref)
	}
}

func (h *history) client(t *testing.T) *Client {
	t.Helper()
	c, err := NewClient(h.engine, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// reference builds the reference from the calls that wrote.
func (h *history) reference(t *testing.T) *reference {
	t.Helper()
	var writes []*write
	for i := range h.calls {
		if w := h.calls[i].write; w != nil {
			w.rev = h.calls[i].rev
			writes = append(writes, w)
		}
	}
	slices.SortFunc(writes, func(a, b *write) int { return int(a.rev - b.rev) })
	ref := newReference()
	for _, w := range writes {
		if err := ref.apply(w); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d calls, %d revisions, %d events", len(h.calls), ref.rev, len(ref.events))
	return ref
}

func (h *history) checkAnswers(t *testing.T, ref *reference) {
	t.Helper()
	for i := range h.calls {
		if c := &h.calls[i]; c.check != nil {
			if err := c.check(ref); err != nil {
				t.Fatalf("call %d of client %d, answered at revision %d: %v", i, c.client, c.rev, err)
			}
		}
	}
}

// checkOrder: revisions follow real time.
func (h *history) checkOrder(t *testing.T) {
	t.Helper()
	begun := slices.Clone(h.calls)
	slices.SortFunc(begun, func(a, b call) int { return int(a.begin - b.begin) })
	ended := slices.Clone(h.calls)
	slices.SortFunc(ended, func(a, b call) int { return int(a.end - b.end) })
	known := int64(0) // latest revision that anybody was told of
	for _, c := range begun {
		for ; len(ended) > 0 && ended[0].end < c.begin; ended = ended[1:] {
			known = max(known, ended[0].rev)
		}
		if c.rev < known || c.write != nil && c.rev == known {
			t.Fatalf("an answer at revision %d to a request made when %d was known (write: %v)", c.rev, known, c.write != nil)
		}
	}
}

// register is one key for porcupine: its state is the key's revision, 0 if it is
// not there. Values need no look: checkAnswers ties them to revisions.
var register = porcupine.Model{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		byKey := map[string][]porcupine.Operation{}
		for _, op := range history {
			k := op.Input.(registerOp).key
			byKey[k] = append(byKey[k], op)
		}
		var parts [][]porcupine.Operation
		for _, p := range byKey {
			parts = append(parts, p)
		}
		return parts
	},
	Init: func() any { return int64(0) },
	Step: func(state, input, _ any) (bool, any) {
		op := input.(registerOp)
		if op.saw >= 0 && op.saw != state.(int64) {
			return false, state
		}
		if op.sets {
			return true, op.to
		}
		return true, state
	},
}

type registerOp struct {
	key  string
	saw  int64 // before; -1 if it did not look
	sets bool
	to   int64
}

func (h *history) checkKeys(t *testing.T, ref *reference) {
	t.Helper()
	var ops []porcupine.Operation
	for i := range h.calls {
		c := &h.calls[i]
		touched := map[string]*registerOp{}
		for key, rev := range c.saw {
			touched[key] = &registerOp{key: key, saw: rev}
		}
		if c.write != nil {
			for _, e := range ref.eventsOf("\x00", "\xff", c.rev, c.rev) {
				op := touched[string(e.kv.Key)]
				if op == nil {
					op = &registerOp{key: string(e.kv.Key), saw: -1}
					touched[op.key] = op
				}
				op.sets, op.to = true, c.rev
				if e.del {
					op.to = 0
				}
			}
		}
		for _, op := range touched {
			ops = append(ops, porcupine.Operation{ClientId: c.client, Input: *op, Call: c.begin, Return: c.end})
		}
	}
	if got := porcupine.CheckOperationsTimeout(register, ops, 5*time.Minute); got != porcupine.Ok {
		t.Fatalf("linearizability of %d operations: %s", len(ops), got)
	}
}

func openLog(t *testing.T, dir string) *persist.Log {
	t.Helper()
	sink, err := persist.OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return persist.Open(sink, persist.Options{Sync: persist.SyncNever, SnapshotBytes: 64 << 10})
}

func checkKept(t *testing.T, dir string, ref *reference) {
	t.Helper()
	e, err := mvcc.Open(mvcc.Options{Journal: openLog(t, dir), ProgressInterval: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	s, err := e.State()
	if err != nil {
		t.Fatal(err)
	}
	want := ref.list("", ref.rev)
	if s.Rev != ref.rev || len(s.KVs) != len(want) {
		t.Fatalf("kept %d keys at revision %d, want %d at %d", len(s.KVs), s.Rev, len(want), ref.rev)
	}
	for i := range want {
		if got := newKV(&s.KVs[i]); !same(got, want[i]) {
			t.Fatalf("kept %v, want %v", got, &want[i])
		}
	}
}

// record stores an answer. An error that the history allows is none.
func (h *history) record(c call) {
	h.latest.Store(c.rev)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.calls = append(h.calls, c)
}

// compactedRightly tells whether err is what a read at rev may get.
func (h *history) compactedRightly(err error, rev int64) bool {
	return errors.Is(err, rpctypes.ErrCompacted) && rev > 0 && rev < h.engine.Status().CompactRevision
}
