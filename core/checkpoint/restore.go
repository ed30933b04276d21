package checkpoint

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/store/mvcc"
)

// settleLimit is how long a collector that finds no rest is waited for.
const settleLimit = 5 * time.Second

// Restore goes back to a checkpoint, and says what it did. What there is before is remembered, so that going back can be
// gone back on.
//
// It waits first until the garbage collector has done what deletions left it to do: what it is about to delete would be
// taken for what is there. Owners that come back do so under new UIDs (renewed).
//
// Each object is a revision of its own, as of a client that writes it: upstream's watch caches expect no two with one.
// If a write fails (a journal whose disk is full) those before it stand, and the error says so.
func (c *Checkpoints) Restore(ctx context.Context, id int) (*Difference, error) {
	settling, cancel := context.WithTimeout(ctx, settleLimit)
	defer cancel()
	if err := c.settle(settling); err != nil {
		return nil, fmt.Errorf("go back to checkpoint %d: %w", id, err)
	}
	c.lock()
	defer c.mu.Unlock()
	p, err := c.find(id)
	if err != nil {
		return nil, err
	}
	if _, err := c.take(fmt.Sprintf("going back to %q", p.Why), false, ""); err != nil {
		return nil, err
	}
	u := c.unseal()
	steps, now, err := c.plan(p, u)
	if err != nil {
		return nil, fmt.Errorf("go back to checkpoint %d: %w", id, err)
	}
	to, stay := renewed(steps, now)
	defer c.renewAll(to, u)
	for _, key := range stay {
		if err := c.refer(key, to, u); err != nil {
			return nil, fmt.Errorf("go back to checkpoint %d: %w; no object is as it was then", id, err)
		}
	}
	for i, s := range steps {
		if err := c.write(s, to); err != nil {
			return nil, fmt.Errorf("go back to checkpoint %d: %w; %d of %d objects are as they were then", id, err, i, len(steps))
		}
	}
	return differenceOf(steps), nil
}

func (c *Checkpoints) write(s step, to map[string]string) error {
	var value string
	if s.value != nil {
		value = renew(s.value.Value, to)
		if s.what == ComesBack {
			value = string(fresh(s.object.below, value))
		}
		var err error
		if value, err = s.sealed.around(value); err != nil {
			return fmt.Errorf("encrypt %s: %w", s.value.Key, err)
		}
	}
	if s.afresh || s.value == nil {
		if err := c.update(func(tx *mvcc.Tx) error {
			_, err := tx.Delete(s.object.key)
			return err
		}); err != nil || s.value == nil {
			return err
		}
	}
	return c.update(func(tx *mvcc.Tx) error {
		_, err := tx.Put(s.value.Key, []byte(value), 0) // only what passes has a lease
		return err
	})
}

// refer has an object that stays as it is refer to others under the UIDs with which they come back.
func (c *Checkpoints) refer(key string, to map[string]string, u Unseal) error {
	return c.update(func(tx *mvcc.Tx) error {
		kv, ok, err := tx.Get(key)
		if err != nil || !ok {
			return err
		}
		value, err := renewSealed(&kv, to, u)
		if err != nil {
			return fmt.Errorf("encrypt %s: %w", key, err)
		}
		_, err = tx.Put(key, []byte(value), 0)
		return err
	})
}

func (c *Checkpoints) update(fn func(*mvcc.Tx) error) error {
	_, err := c.store.Update(fn)
	return err
}

// first are what others need to be understood: a custom resource without its definition is nothing, and what is in a
// namespace that is not there is deleted.
var first = []string{"apiextensions.k8s.io/", "namespaces/", "minions/", "ranges/", "serviceaccounts/"}

// inOrder has what is needed first, then what comes back or changes, owners before what they own, and at last what goes.
func inOrder(steps []step) []step {
	rank := func(s step) int {
		if s.value == nil {
			return len(first) + 2
		}
		for i, p := range first {
			if strings.HasPrefix(s.object.below, p) {
				return i
			}
		}
		if strings.HasPrefix(s.object.below, pods) {
			return len(first) + 1 // after their owners
		}
		return len(first)
	}
	slices.SortStableFunc(steps, func(a, b step) int { return cmp.Compare(rank(a), rank(b)) })
	return steps
}
