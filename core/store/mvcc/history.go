package mvcc

import (
	"cmp"
	"slices"
)

// recordOverhead and changeOverhead approximate what a record and a change cost
// beside the replaced value.
const (
	recordOverhead = 64
	changeOverhead = 256
)

// history holds the latest records in order. Every revision has one record, but for those over
// which a leap went (Engine.GoOn): the leap's own has no changes.
type history struct {
	recs  []Record
	head  int   // recs[:head] were dropped
	bytes int64 // held by history alone
}

func (h *history) len() int { return len(h.recs) - h.head }

// first returns the oldest revision held, 0 when there is none.
func (h *history) first() int64 {
	if h.len() == 0 {
		return 0
	}
	return h.recs[h.head].Rev
}

func (h *history) append(r Record) {
	h.recs = append(h.recs, r)
	h.bytes += r.cost()
}

// since returns the records with revision ≥ rev, oldest first. They may be read
// as long as the engine's lock is held.
func (h *history) since(rev int64) []Record {
	recs := h.recs[h.head:]
	from, _ := slices.BinarySearchFunc(recs, rev, func(r Record, rev int64) int { return cmp.Compare(r.Rev, rev) })
	return recs[from:]
}

// dropLast takes the latest record back.
func (h *history) dropLast() {
	last := len(h.recs) - 1
	h.bytes -= h.recs[last].cost()
	h.recs[last] = Record{}
	h.recs = h.recs[:last]
}

// dropFirst forgets the oldest record.
func (h *history) dropFirst() {
	h.bytes -= h.recs[h.head].cost()
	h.recs[h.head] = Record{}
	h.head++
	// Move down when half is gone: amortised O(1), and no memory is kept.
	if h.head >= 64 && h.head*2 >= len(h.recs) {
		n := copy(h.recs, h.recs[h.head:])
		clear(h.recs[n:])
		h.recs, h.head = h.recs[:n], 0
	}
}

// forgetPrev drops the previous versions from the oldest record if it is rev's.
func (h *history) forgetPrev(rev int64) {
	if h.first() != rev || rev == 0 {
		return
	}
	r := &h.recs[h.head]
	h.bytes -= r.cost()
	for i := range r.Changes {
		r.Changes[i].Prev = nil
	}
	h.bytes += r.cost()
}

// cost is what keeping r costs. New values are not counted: each is either the
// latest, held by the database anyway, or the Prev of a later change.
func (r *Record) cost() int64 {
	c := int64(recordOverhead)
	for i := range r.Changes {
		c += changeOverhead + int64(len(r.Changes[i].KV.Key))
		if p := r.Changes[i].Prev; p != nil {
			c += int64(len(p.Value))
		}
	}
	return c
}
