package told

import (
	"sync"
	"time"
)

// clock is a node's against the cluster's, as NTP finds it: half of the way there and back is taken for
// the way there. The quickest answer errs least.
type clock struct {
	mu     sync.Mutex
	asked  []time.Time // not answered yet
	best   time.Duration
	at     time.Time     // of the best
	offset time.Duration // the node's is ahead by that
	known  bool
}

// The quickest answer is forgotten after a while: clocks drift, and are set.
const sampleAge = 10 * time.Minute

// maxAsked bounds the questions that are under way.
const maxAsked = 16

// ask notes a question that is put now; it says false if too many wait for an answer.
func (c *clock) ask(now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.asked) >= maxAsked {
		return false
	}
	c.asked = append(c.asked, now)
	return true
}

// answered takes the node's clock; it says false if nobody has asked.
func (c *clock) answered(now time.Time, node int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.asked) == 0 {
		return false
	}
	way := now.Sub(c.asked[0])
	c.asked = c.asked[1:]
	if !c.known || way <= c.best || now.Sub(c.at) > sampleAge {
		c.best, c.at, c.known = way, now, true
		c.offset = time.UnixMicro(node).Sub(now.Add(-way / 2))
	}
	return true
}

// maxPast is how long ago a step can have begun that is told now.
const maxPast = time.Hour

// when puts a time of the node's into the cluster's clock, whatever the node says: not before maxPast,
// not after now.
func (c *clock) when(now time.Time, at, took int64) (time.Time, time.Duration) {
	c.mu.Lock()
	offset := c.offset
	c.mu.Unlock()
	began, lasted := time.UnixMicro(at).Add(-offset), time.Duration(0)
	if took > 0 {
		lasted = min(time.Duration(min(took, maxPast.Microseconds()))*time.Microsecond, maxPast)
	}
	if latest := now.Add(-lasted); began.After(latest) {
		began = latest
	}
	if earliest := now.Add(-maxPast); began.Before(earliest) {
		began = earliest
	}
	return began, lasted
}
