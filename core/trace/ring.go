package trace

// ring keeps the last steps, as many as both bounds allow. Each has a number that goes up by one,
// which is where a reader stands.
type ring struct {
	maxSteps, maxBytes int

	buf   []Step // a circle, of which n from head on are in use
	head  int
	n     int
	first int64 // the oldest one's number: how many have gone
	bytes int
}

// end is the number that the next step gets.
func (r *ring) end() int64 { return r.first + int64(r.n) }

// at is the step of a number from first up to end.
func (r *ring) at(number int64) *Step {
	return &r.buf[(r.head+int(number-r.first))%len(r.buf)]
}

// add takes a step in, and gives those that have to go for it to gone.
func (r *ring) add(s Step, gone func(*Step)) {
	weight := s.weight()
	for r.n > 0 && (r.n == r.maxSteps || r.bytes+weight > r.maxBytes) {
		oldest := &r.buf[r.head]
		r.bytes -= oldest.weight()
		gone(oldest)
		*oldest = Step{}
		r.head = (r.head + 1) % len(r.buf)
		r.n--
		r.first++
	}
	if r.n == len(r.buf) {
		grown := make([]Step, min(r.maxSteps, max(256, 2*r.n)))
		for i := range r.n {
			grown[i] = r.buf[(r.head+i)%len(r.buf)]
		}
		r.buf, r.head = grown, 0
	}
	r.buf[(r.head+r.n)%len(r.buf)] = s
	r.bytes += weight
	r.n++
}
