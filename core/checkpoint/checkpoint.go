package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unsafe"

	"github.com/tabernetes/tabernetes/core/store/mvcc"
)

// Store is what is remembered. *store.Store implements it.
type Store interface {
	State() (mvcc.State, error)
	// Update writes beside the store's clients.
	Update(func(*mvcc.Tx) error) (rev int64, err error)
}

// Bounds of what is remembered; the oldest go, those that nobody asked for first.
const (
	MaxCount = 40 // those of steps aside
	MaxSteps = 50 // as many as a lesson has: nothing that a reader made goes for them
	MaxBytes = 16 << 20
	maxWhy   = 200 // characters
)

// Checkpoint is a moment that was remembered.
type Checkpoint struct {
	ID   int       `json:"id"`
	Time time.Time `json:"time"`
	// Why is what it was taken for: a line that was typed, or a name that somebody gave.
	Why string `json:"why"`
	// Asked is set if somebody asked for it; the others are taken before a command that may write.
	Asked bool `json:"asked"`
	// Of is what it is a step of, such as a lesson; empty if it is none. Of each step the latest beginning is remembered.
	Of string `json:"of,omitempty"`
	// Revision is the store's, Objects how many there were.
	Revision int64 `json:"revision"`
	Objects  int   `json:"objects"`
	// Bytes is what it holds beside the store and the checkpoints after it.
	Bytes int64 `json:"bytes"`

	kvs []mvcc.KV // in scope, in order of keys
}

// Checkpoints are those of one cluster, safe for concurrent use.
type Checkpoints struct {
	store    Store
	registry registry
	settle   func(context.Context) error
	now      func() time.Time
	keys     func() Unseal // nil: what is encrypted cannot be read

	mu   sync.Mutex
	last int
	all  []*Checkpoint // the oldest first

	kept *kept // nil if they end with the program
}

// New is without checkpoints. prefix is --etcd-prefix, under which the API server keeps objects. settle waits, at most
// until its context is done, until nothing that has been deleted is still about to be followed by what it owned.
func New(s Store, prefix string, settle func(context.Context) error) *Checkpoints {
	return &Checkpoints{store: s, registry: registry(strings.TrimSuffix(prefix, "/") + "/"), settle: settle, now: time.Now}
}

// ErrNone is what there is to say of a checkpoint that is not held.
var ErrNone = errors.New("there is no such checkpoint; the oldest go when there are many, those that nobody asked for first")

// List is what is held, the oldest first.
func (c *Checkpoints) List() []Checkpoint {
	c.lock()
	defer c.mu.Unlock()
	out := make([]Checkpoint, len(c.all))
	for i, p := range c.all {
		out[i] = *p
		out[i].kvs = nil
	}
	return out
}

// Take remembers what there is. If nothing has changed since the last one that one is the answer, unless asked is set.
func (c *Checkpoints) Take(why string, asked bool) (Checkpoint, error) {
	return c.taken(why, asked, "")
}

// TakeStep remembers how a step began, in the place of how it began before. of is what it is a step of.
func (c *Checkpoints) TakeStep(of, why string) (Checkpoint, error) {
	return c.taken(why, true, of)
}

func (c *Checkpoints) taken(why string, asked bool, of string) (Checkpoint, error) {
	c.lock()
	defer c.mu.Unlock()
	p, err := c.take(why, asked, of)
	if err != nil {
		return Checkpoint{}, err
	}
	return *p, nil
}

// take is called with mu held.
func (c *Checkpoints) take(why string, asked bool, of string) (*Checkpoint, error) {
	state, err := c.store.State()
	if err != nil {
		return nil, fmt.Errorf("take a checkpoint: %w", err)
	}
	kvs := c.registry.inScope(state.KVs)
	if n := len(c.all); n > 0 {
		last := c.all[n-1]
		last.Bytes = alone(last.kvs, kvs)
		if !asked && unchanged(last.kvs, kvs) {
			return last, nil
		}
	}
	c.last++
	p := &Checkpoint{ID: c.last, Time: c.now(), Why: sentence(why), Asked: asked, Of: sentence(of), Revision: state.Rev, Objects: len(kvs), kvs: kvs}
	p.Bytes = alone(kvs, kvs)
	c.all = append(c.all, p)
	c.trim()
	c.changedSince(false)
	return p, nil
}

// trim has the oldest go, of those that nobody asked for while there are any: steps and what somebody gave a name outlive
// what is taken before each command. The last one stays, whatever its size.
func (c *Checkpoints) trim() {
	begun := map[[2]string]bool{}
	steps := 0
	for i, p := range slices.Backward(c.all) {
		if p.Of == "" {
			continue
		}
		if step := [2]string{p.Of, p.Why}; steps == MaxSteps || begun[step] {
			c.drop(i)
		} else {
			begun[step] = true
			steps++
		}
	}
	for len(c.all)-steps > MaxCount {
		i := c.first(func(p *Checkpoint) bool { return p.Of == "" && !p.Asked })
		if i < 0 {
			i = c.first(func(p *Checkpoint) bool { return p.Of == "" })
		}
		if i < 0 { // the last one stays
			break
		}
		c.drop(i)
	}
	sum := int64(0)
	for _, p := range c.all {
		sum += p.Bytes
	}
	for len(c.all) > 1 && sum > MaxBytes {
		sum -= c.drop(max(c.first(func(p *Checkpoint) bool { return !p.Asked }), 0))
	}
}

// first is the oldest that is so, but the last of all; -1 if there is none.
func (c *Checkpoints) first(is func(*Checkpoint) bool) int {
	return slices.IndexFunc(c.all[:len(c.all)-1], is)
}

// drop has one go, and says how many bytes that gives back.
func (c *Checkpoints) drop(i int) int64 {
	back := c.all[i].Bytes
	if i > 0 { // it alone holds now what only the two of them held
		before, next := c.all[i-1], c.all[i].kvs
		if i+1 < len(c.all) {
			next = c.all[i+1].kvs
		}
		back += before.Bytes
		before.Bytes = alone(before.kvs, next)
		back -= before.Bytes
	}
	c.all = slices.Delete(c.all, i, i+1)
	return back
}

// State is what another cluster can begin with (core/clusterfile).
func (c *Checkpoints) State(id int) (mvcc.State, error) {
	c.lock()
	defer c.mu.Unlock()
	p, err := c.find(id)
	if err != nil {
		return mvcc.State{}, err
	}
	kvs := slices.Clone(p.kvs)
	for i := range kvs {
		kvs[i].ModRevision = max(kvs[i].ModRevision, -kvs[i].ModRevision) // shared
	}
	return mvcc.State{Rev: p.Revision, KVs: kvs}, nil
}

// find is called with mu held.
func (c *Checkpoints) find(id int) (*Checkpoint, error) {
	for _, p := range c.all {
		if p.ID == id {
			return p, nil
		}
	}
	return nil, fmt.Errorf("checkpoint %d: %w", id, ErrNone)
}

// alone is how many bytes of then are not in next, and what its list takes.
func alone(then, next []mvcc.KV) int64 {
	sum := int64(len(then)) * int64(unsafe.Sizeof(mvcc.KV{}))
	for before := range changed(then, next) {
		if before != nil {
			sum += int64(len(before.Key) + len(before.Value))
		}
	}
	return sum
}

func unchanged(then, now []mvcc.KV) bool {
	for range changed(then, now) {
		return false
	}
	return true
}

// sentence is why as one line for people.
func sentence(why string) string {
	why = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(why, "\uFFFD"), func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r)
	}), " ")
	if r := []rune(why); len(r) > maxWhy {
		why = string(r[:maxWhy-1]) + "…"
	}
	return why
}
