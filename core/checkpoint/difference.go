package checkpoint

import (
	"fmt"
	"strings"

	"github.com/tabernetes/tabernetes/core/store/mvcc"
)

// What becomes of an object when a checkpoint is gone back to.
const (
	ComesBack = "comes back" // it is gone, or is being deleted
	Changes   = "changes"
	Goes      = "goes" // it was not there yet
)

// MaxChanges bounds a Difference's list.
const MaxChanges = 500

// Change is what becomes of one object.
type Change struct {
	What      string `json:"what"`
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

// Difference is what going back would do.
type Difference struct {
	ComesBack int      `json:"comesBack"`
	Changes   int      `json:"changes"`
	Goes      int      `json:"goes"`
	Objects   []Change `json:"objects"` // MaxChanges at most
}

// Difference says what going back to a checkpoint would do now.
func (c *Checkpoints) Difference(id int) (*Difference, error) {
	c.lock()
	defer c.mu.Unlock()
	p, err := c.find(id)
	if err != nil {
		return nil, err
	}
	steps, _, err := c.plan(p, c.unseal())
	if err != nil {
		return nil, fmt.Errorf("compare with checkpoint %d: %w", id, err)
	}
	return differenceOf(steps), nil
}

func differenceOf(steps []step) *Difference {
	d := &Difference{Objects: []Change{}}
	for _, s := range steps {
		switch s.what {
		case ComesBack:
			d.ComesBack++
		case Changes:
			d.Changes++
		case Goes:
			d.Goes++
		}
		if len(d.Objects) < MaxChanges {
			kind, namespace, name := s.object.name()
			d.Objects = append(d.Objects, Change{What: s.what, Kind: kind, Namespace: namespace, Name: name})
		}
	}
	return d
}

// step is what has to be written for one key.
type step struct {
	what   string
	object object   // as it was, or as it is where it goes
	value  *mvcc.KV // as it was; nil: it goes
	afresh bool     // deleted first: who looks after it is ending it, or it is another one
	sealed *sealing // of the value; nil if it was not encrypted
}

// plan is what has to be written, and what there is now, both as far as u reads it. It is called with mu held.
func (c *Checkpoints) plan(p *Checkpoint, u Unseal) ([]step, []mvcc.KV, error) {
	state, err := c.store.State()
	if err != nil {
		return nil, nil, err
	}
	is, _ := u.open(c.registry.inScope(state.KVs))
	was, sealed := u.open(p.kvs)
	ending := c.registry.endingNamespaces(was)
	var steps []step
	for then, now := range changed(was, is) {
		// What was in a namespace that was about to go would be put back into none, for ever.
		if s, ok := c.registry.stepFor(then, now); ok && (s.value == nil || !ending[s.object.namespace()]) {
			s.sealed = sealed[s.object.key]
			steps = append(steps, s)
		}
	}
	return inOrder(steps), is, nil
}

// endingNamespaces are those whose deletion somebody had asked for then.
func (r registry) endingNamespaces(kvs []mvcc.KV) map[string]bool {
	ending := map[string]bool{}
	for i := range kvs {
		if name, ok := strings.CutPrefix(r.below(kvs[i].Key), "namespaces/"); ok && r.decode(&kvs[i]).deleting() {
			ending[name] = true
		}
	}
	return ending
}

func (r registry) stepFor(then, now *mvcc.KV) (step, bool) {
	switch {
	case then == nil:
		return step{what: Goes, object: r.decode(now)}, true
	case now == nil:
		was := r.decode(then)
		// What was about to go then has gone since.
		return step{what: ComesBack, object: was, value: then}, !was.deleting()
	case then.Value == now.Value:
		return step{}, false
	}
	was, is := r.decode(then), r.decode(now)
	switch {
	case was.deleting() || same(was, is):
		return step{}, false
	case is.deleting():
		// Its kubelet does not stop what it has begun to end: it is another one's life that begins.
		return step{what: ComesBack, object: was, value: then, afresh: true}, true
	}
	// Another one has its name: upstream's garbage collector would never hear that it is gone if it were written over.
	another := was.decoded != nil && is.decoded != nil && was.decoded.GetUID() != is.decoded.GetUID()
	return step{what: Changes, object: was, value: then, afresh: another}, true
}
