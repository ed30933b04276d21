package mvcc

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"
)

// MaxLeaseTTL is the longest TTL, in seconds, as etcd has it.
const MaxLeaseTTL = 9_000_000_000

// lease is a promise to delete its keys unless it is kept alive.
type lease struct {
	id     int64
	ttl    int64 // seconds, as granted
	expiry time.Time
	keys   map[string]struct{}
}

// leaseSet is all leases of an engine, and one timer for the next to expire.
// Guarded by Engine.mu.
type leaseSet struct {
	byID  map[int64]*lease
	byKey map[string]*lease
	timer *time.Timer
	due   time.Time // what the timer is set to, zero if it is not
}

func (s *leaseSet) init() {
	s.byID = map[int64]*lease{}
	s.byKey = map[string]*lease{}
}

func (s *leaseSet) stop() {
	if s.timer != nil {
		s.timer.Stop()
	}
}

func (s *leaseSet) exists(id int64) bool {
	_, ok := s.byID[id]
	return ok
}

// follow keeps the leases' keys in step with a new revision: a put attaches its
// key to the lease it names and detaches it from any other, a delete detaches.
// Caller must hold mu for writing.
func (s *leaseSet) follow(r Record) {
	for i := range r.Changes {
		kv := &r.Changes[i].KV
		if l := s.byKey[kv.Key]; l != nil && l.id != kv.Lease {
			delete(l.keys, kv.Key)
			delete(s.byKey, kv.Key)
		}
		if l := s.byID[kv.Lease]; l != nil && kv.Lease != 0 {
			l.keys[kv.Key] = struct{}{}
			s.byKey[kv.Key] = l
		}
	}
}

// Lease describes a lease.
type Lease struct {
	ID int64
	// TTL and Remaining are in seconds: as granted, and what is left of it.
	TTL, Remaining int64
	// Keys are the attached keys in order.
	Keys []string
}

// Grant creates a lease of ttl seconds (at least 1). An id of 0 lets the engine
// choose one. It fails with ErrLeaseExists or ErrLeaseTTLTooLarge.
func (e *Engine) Grant(id, ttl int64) (Lease, error) {
	if ttl > MaxLeaseTTL {
		return Lease{}, ErrLeaseTTLTooLarge
	}
	ttl = max(ttl, 1)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return Lease{}, ErrClosed
	}
	for id == 0 || id < 0 {
		if id = rand.Int64(); e.leases.exists(id) {
			id = 0
		}
	}
	if e.leases.exists(id) {
		return Lease{}, ErrLeaseExists
	}
	if err := e.keep(Entry{Kind: EntryGrant, Lease: LeaseGrant{ID: id, TTL: ttl}}); err != nil {
		return Lease{}, err
	}
	l := &lease{id: id, ttl: ttl, keys: map[string]struct{}{}}
	e.leases.byID[id] = l
	e.renew(l)
	e.rotate()
	return Lease{ID: id, TTL: ttl, Remaining: ttl}, nil
}

// KeepAlive starts the lease's TTL anew and returns it in seconds.
func (e *Engine) KeepAlive(id int64) (ttl int64, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	l := e.leases.byID[id]
	if l == nil {
		return 0, ErrLeaseNotFound
	}
	e.renew(l)
	return l.ttl, nil
}

// Revoke ends the lease. Its keys are deleted in one revision, if it has any.
func (e *Engine) Revoke(id int64) (rev int64, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return 0, ErrClosed
	}
	if !e.leases.exists(id) {
		return e.rev, ErrLeaseNotFound
	}
	err = e.revoke(e.leases.byID[id])
	return e.rev, err
}

// TimeToLive describes a lease.
func (e *Engine) TimeToLive(id int64) (Lease, error) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	l := e.leases.byID[id]
	if l == nil {
		return Lease{}, ErrLeaseNotFound
	}
	return Lease{
		ID:        id,
		TTL:       l.ttl,
		Remaining: int64(time.Until(l.expiry).Seconds()),
		Keys:      slices.Sorted(maps.Keys(l.keys)),
	}, nil
}

// Leases returns the IDs of all leases in order.
func (e *Engine) Leases() []int64 {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return slices.Sorted(maps.Keys(e.leases.byID))
}

// renew sets the lease's expiry anew. Caller must hold mu for writing.
func (e *Engine) renew(l *lease) {
	l.expiry = time.Now().Add(time.Duration(l.ttl) * time.Second)
	s := &e.leases
	if s.due.IsZero() || l.expiry.Before(s.due) {
		e.expireAt(l.expiry)
	}
}

// expireAt sets the timer. Caller must hold mu for writing.
func (e *Engine) expireAt(at time.Time) {
	s := &e.leases
	s.due = at
	if s.timer == nil {
		s.timer = time.AfterFunc(time.Until(at), e.expire)
		return
	}
	s.timer.Reset(time.Until(at))
}

// expire revokes the leases whose time is over and sets the timer for the next.
func (e *Engine) expire() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return
	}
	now := time.Now()
	var next time.Time
	for _, id := range slices.Sorted(maps.Keys(e.leases.byID)) {
		l := e.leases.byID[id]
		if l.expiry.After(now) {
			if next.IsZero() || l.expiry.Before(next) {
				next = l.expiry
			}
			continue
		}
		if err := e.revoke(l); err != nil {
			// Only a closed or broken buntdb fails here; the lease stays
			// and is tried again with the next one.
			next = now.Add(time.Second)
		}
	}
	e.leases.due = time.Time{}
	if !next.IsZero() {
		e.expireAt(next)
	}
}

// revoke deletes the lease and its keys. Caller must hold mu for writing.
func (e *Engine) revoke(l *lease) error {
	_, err := e.update(func(tx *Tx) error {
		for _, k := range slices.Sorted(maps.Keys(l.keys)) {
			if _, err := tx.Delete(k); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("revoke lease %x: %w", l.id, err)
	}
	if err := e.keep(Entry{Kind: EntryRevoke, Lease: LeaseGrant{ID: l.id}}); err != nil {
		return fmt.Errorf("revoke lease %x: %w", l.id, err)
	}
	delete(e.leases.byID, l.id)
	e.rotate()
	return nil
}
