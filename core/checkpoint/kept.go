package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/tabernetes/tabernetes/core/store/mvcc"
	"github.com/tabernetes/tabernetes/core/store/persist"
)

// MaxFile bounds what is kept of checkpoints, in bytes.
const MaxFile = 16 << 20

// room is how much of that a file that is written anew may take, so that the next ones fit behind.
const room = MaxFile / 4 * 3

// fileName is what they are kept as, with a number that goes up each time that the file is written anew.
const fileName = "checkpoints-"

// kept is where checkpoints are kept. Its fields are for who has Checkpoints' mu, but for what is said otherwise.
type kept struct {
	sink persist.Sink
	// tell is told of what is lost or not kept, once for each reason, and nil when all is kept again.
	tell func(error)
	wake chan struct{}
	// unread is set while the file is to be read before anything else.
	unread atomic.Bool

	number  int64 // of the file; 0 while there is none
	size    int64 // of it, as far as it is whole
	records int   // in it
	saved   *Checkpoint
	anew    bool  // what is in the file is not what there is
	problem error // why what there is is not kept
	lost    error // of what was kept before
}

// Keep has checkpoints kept in a sink's files, and begins with those that were. What is there is read when it is first asked
// for; Run writes. It is called before anything else.
func (c *Checkpoints) Keep(sink persist.Sink, tell func(error)) {
	c.kept = &kept{sink: sink, tell: tell, wake: make(chan struct{}, 1)}
	c.kept.unread.Store(true)
}

// ReadAgain has the file read before anything else is done: a program that goes on from an image of its memory may have
// taken more after it. It does not wait.
func (c *Checkpoints) ReadAgain() {
	if c.kept != nil {
		c.kept.unread.Store(true)
	}
}

// Kept says whether checkpoints outlive the program, and what there is to say of those that do not.
func (c *Checkpoints) Kept() (kept bool, lost string) {
	c.lock()
	defer c.mu.Unlock()
	if c.kept == nil {
		return false, ""
	}
	var all []string
	for _, err := range []error{c.kept.problem, c.kept.lost} {
		if err != nil {
			all = append(all, err.Error())
		}
	}
	return c.kept.problem == nil, strings.Join(all, "; ")
}

// lock returns with mu held, when what was kept is read.
func (c *Checkpoints) lock() {
	c.mu.Lock()
	if c.kept != nil && c.kept.unread.Swap(false) {
		c.read()
	}
}

// read reads what was kept. What cannot be read is said, and goes. It is called with mu held.
func (c *Checkpoints) read() {
	k := c.kept
	numbers, err := k.numbers()
	var best []*Checkpoint
	k.number, k.size, k.records, k.saved, k.anew = 0, 0, 0, nil, true
	var lost error // of the one that counts
	for _, number := range slices.Backward(numbers) {
		all, size, damage := c.readFile(number)
		// One that was being written anew may lack what the one before it has.
		if k.number == 0 || lastID(all) > lastID(best) {
			best, k.number, k.size, k.records = all, number, size, len(all)
			lost, k.anew = damage, damage != nil || len(numbers) > 1
		}
	}
	if err = errors.Join(err, lost); err != nil {
		k.lost = fmt.Errorf("of what was remembered before, %d moments could be read: %w", len(best), err)
		k.tell(k.lost)
	}
	if lastID(best) < c.last { // what is in memory was never written
		k.anew = true
		return
	}
	if len(best) == 0 {
		return
	}
	c.all, c.last = best, lastID(best)
	k.saved = best[len(best)-1]
	for i, p := range c.all {
		next := p.kvs
		if i+1 < len(c.all) {
			next = c.all[i+1].kvs
		}
		p.Bytes = alone(p.kvs, next)
	}
	c.trim()
}

func lastID(all []*Checkpoint) int {
	if len(all) == 0 {
		return 0
	}
	return all[len(all)-1].ID
}

// readFile is what is whole of a file, and how long that is.
func (c *Checkpoints) readFile(number int64) (all []*Checkpoint, size int64, err error) {
	f, err := c.kept.sink.Open(nameOf(number))
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	if size, err = f.Size(); err != nil || size == 0 { // nothing was written yet
		return nil, 0, err
	}
	if size > MaxFile {
		return nil, 0, fmt.Errorf("%w: it has %d bytes", errTorn, size)
	}
	file := make([]byte, size)
	for at := 0; at < len(file); at += piece {
		part := file[at:min(at+piece, len(file))]
		if n, err := f.ReadAt(part, int64(at)); n < len(part) && !errors.Is(err, io.EOF) {
			return nil, 0, err
		}
		runtime.Gosched()
	}
	state, err := c.store.State()
	if err != nil {
		return nil, 0, err
	}
	all, err = c.registry.readRecords(file, shared(state.KVs))
	return all, size, err
}

// shared has what was kept share the store's values, where those are the same. A value that has the revision of another one
// (the store was lost, and begun anew) is none of the store's: it gets a revision that the store never gives, so that it is
// compared by itself.
func shared(live []mvcc.KV) func(*mvcc.KV) {
	return func(kv *mvcc.KV) {
		i, found := slices.BinarySearchFunc(live, kv.Key, func(l mvcc.KV, key string) int { return strings.Compare(l.Key, key) })
		switch {
		case !found || live[i].ModRevision != kv.ModRevision:
		case live[i].Value == kv.Value:
			kv.Key, kv.Value = live[i].Key, live[i].Value
		default:
			kv.ModRevision = -kv.ModRevision
		}
	}
}

func nameOf(number int64) string { return fileName + strconv.FormatInt(number, 10) }

// numbers are those of the files there are, in order.
func (k *kept) numbers() ([]int64, error) {
	names, err := k.sink.Files()
	if err != nil {
		return nil, err
	}
	var numbers []int64
	for _, name := range names {
		rest, found := strings.CutPrefix(name, fileName)
		if n, err := strconv.ParseInt(rest, 10, 64); found && err == nil && n > 0 && name == nameOf(n) {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}

// changedSince has Run look; anew if the checkpoints that there are have changed, too. It is called with mu held.
func (c *Checkpoints) changedSince(anew bool) {
	if c.kept == nil {
		return
	}
	c.kept.anew = c.kept.anew || anew
	select {
	case c.kept.wake <- struct{}{}:
	default:
	}
}

// Run reads what was kept and writes what is taken, beside whoever takes it, until ctx is done.
func (c *Checkpoints) Run(ctx context.Context) {
	c.lock()
	c.changedSince(false)
	c.mu.Unlock()
	for {
		select {
		case <-c.kept.wake:
			c.save()
		case <-ctx.Done():
			return
		}
	}
}
