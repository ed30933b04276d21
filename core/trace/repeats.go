package trace

import "sync"

// Bounds of Repeats: of what comes out the same again and again one in every is told, and so many things
// are known at once.
const (
	every      = 60
	maxRepeats = 4096
)

// Repeats says what is told of things that happen again and again, such as a probe each second, which would
// push out of the ring all else that happens: the first, each that comes out otherwise than the one before
// it, and one in 60. It is safe for concurrent use.
type Repeats struct {
	mu    sync.Mutex
	known map[string]*repeat
	order []string // oldest first
}

type repeat struct {
	outcome string
	untold  int
}

// Tell is whether what happened to key is to be told, and how many times it came out the same since
// something was, untold.
func (r *Repeats) Tell(key, outcome string) (tell bool, untold int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	k := r.known[key]
	if k == nil {
		if r.known == nil {
			r.known = map[string]*repeat{}
		}
		if len(r.order) >= maxRepeats {
			delete(r.known, r.order[0])
			r.order = append(r.order[:0], r.order[1:]...)
		}
		r.known[key], r.order = &repeat{outcome: outcome}, append(r.order, key)
		return true, 0
	}
	if k.outcome == outcome && k.untold+1 < every {
		k.untold++
		return false, 0
	}
	untold = k.untold
	k.outcome, k.untold = outcome, 0
	return true, untold
}
