package trace

import "sort"

// ring keeps the last steps, as many as both bounds allow. Each has a number that goes up by one,
// which is where a reader stands.
type ring struct {
	maxSteps, maxBytes int

	// chunks hold the steps; of those in use the oldest is at head of the first one. A ring that grows makes
	// one more and moves nothing; one that is full goes on in that which has been left.
	chunks []*chunk
	head   int
	n      int
	first  int64 // the oldest one's number: how many have gone
	bytes  int
}

// chunk is how many steps room is made for at once.
type chunk [256]Step

// end is the number that the next step gets.
func (r *ring) end() int64 { return r.first + int64(r.n) }

// at is the step of a number from first up to end.
func (r *ring) at(number int64) *Step { return r.place(int(number - r.first)) }

// place is where the step stands that has i before it.
func (r *ring) place(i int) *Step {
	i += r.head
	return &r.chunks[i/len(chunk{})][i%len(chunk{})]
}

// add takes a step in, and gives those that have to go for it to gone.
func (r *ring) add(s Step, gone func(*Step)) {
	weight := s.weight()
	s.held = int32(weight)
	for r.n > 0 && (r.n == r.maxSteps || r.bytes+weight > r.maxBytes) {
		oldest := r.place(0)
		r.bytes -= int(oldest.held)
		gone(oldest)
		*oldest = Step{}
		r.n--
		r.first++
		if r.head++; r.head == len(chunk{}) {
			left := r.chunks[0]
			copy(r.chunks, r.chunks[1:])
			r.chunks[len(r.chunks)-1] = left
			r.head = 0
		}
	}
	if r.head+r.n == len(r.chunks)*len(chunk{}) {
		r.chunks = append(r.chunks, new(chunk))
	}
	*r.place(r.n) = s
	r.bytes += weight
	r.n++
}

// since gives up to limit of the steps that have the number of the bus's that is given, or one after it.
func (r *ring) since(number int64, limit int) []*Step {
	from := sort.Search(r.n, func(i int) bool { return r.place(i).number >= number })
	steps := make([]*Step, min(r.n-from, limit))
	for i := range steps {
		steps[i] = r.place(from + i)
	}
	return steps
}
