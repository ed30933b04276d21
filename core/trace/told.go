package trace

import (
	"cmp"
	"slices"
)

// ToldBytes bounds what is kept of all that real nodes tell. It is beside the ring: of what the cluster itself did
// nothing goes for it. A step weighs stepWeight at least, so that their number is bounded with it.
const ToldBytes = MaxBytes / 2

// told keeps what real nodes told last. Where that is too much, the oldest goes of the node that has told the most:
// whoever floods loses what it told itself, and each has its even share at least.
type told struct {
	maxBytes int

	bytes int
	n     int
	nodes map[string]*tale
}

// tale is what one node told, the oldest first.
type tale struct {
	steps []*Step
	bytes int
}

// add takes a step in, and gives those that have to go for it to gone.
func (t *told) add(s Step, gone func(*Step)) {
	of := t.nodes[s.Node]
	if of == nil {
		of = &tale{}
		t.nodes[s.Node] = of
	}
	kept, weight := s, s.weight()
	kept.held = int32(weight)
	of.steps = append(of.steps, &kept)
	of.bytes += weight
	t.bytes += weight
	t.n++
	for t.bytes > t.maxBytes {
		gone(t.drop())
	}
}

// drop takes away the oldest step of the node that has told the most.
func (t *told) drop() *Step {
	var name string
	var of *tale
	for n, other := range t.nodes {
		if of == nil || other.bytes > of.bytes {
			name, of = n, other
		}
	}
	oldest := of.steps[0]
	weight := int(oldest.held)
	of.steps[0] = nil
	of.steps = of.steps[1:]
	of.bytes -= weight
	t.bytes -= weight
	t.n--
	if len(of.steps) == 0 {
		delete(t.nodes, name)
	}
	return oldest
}

// since gives up to limit of the steps of a number and after it, in their order: what the cluster did, and what nodes
// told. It is called with mu held, and what it gives is good as long.
func (b *Bus) since(number int64, limit int) []*Step {
	steps := b.live.since(number, limit)
	if b.told.n == 0 {
		return steps
	}
	for _, of := range b.told.nodes {
		at, _ := slices.BinarySearchFunc(of.steps, number, func(s *Step, n int64) int { return cmp.Compare(s.number, n) })
		rest := of.steps[at:]
		steps = append(steps, rest[:min(len(rest), limit)]...)
	}
	slices.SortFunc(steps, func(a, b *Step) int { return cmp.Compare(a.number, b.number) })
	return steps[:min(len(steps), limit)]
}
