package program

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// cpu is a share of the one thread, and what was used of it.
type cpu struct {
	used  atomic.Int64  // nanoseconds since the last sleep
	total atomic.Int64  // nanoseconds since it was made
	turn  chan struct{} // holds one, of who sleeps for all; the others wait, and go on one by one

	mu            sync.Mutex
	quota, period time.Duration // cpu.max; no quota is no limit
	began         time.Time     // when the period began
	spent         time.Duration // of the quota
	stat          CPUStat       // but for Usage
}

// CPUStat is cpu.stat of a control group.
type CPUStat struct {
	// Usage is the processor time of its processes and of those below it, that of ended ones
	// included: what passed between the yielding points of interpreters (see Yield), and what servers
	// say (see Cgroup.Busy). Go tells nobody what a goroutine has used.
	Usage time.Duration
	// Periods have been begun under a limit; in Throttled of them it was reached, and its processes
	// stood still for ThrottledFor together.
	Periods, Throttled int64
	ThrottledFor       time.Duration
}

// CPU is the processor time that was used in the cgroup and below it.
func (g *Cgroup) CPU() CPUStat {
	if g == nil {
		return CPUStat{}
	}
	g.cpu.mu.Lock()
	defer g.cpu.mu.Unlock()
	stat := g.cpu.stat
	stat.Usage = time.Duration(g.cpu.total.Load())
	return stat
}

// Busy counts what passes until the returned function is called as used, 1 ms at most: for work that is
// short and reaches no yielding point, such as the answer to a request.
func (g *Cgroup) Busy() (done func()) {
	if g == nil {
		return func() {}
	}
	began := time.Now()
	return func() {
		used := min(time.Since(began), yieldStep)
		for ; g != nil; g = g.parent {
			g.cpu.total.Add(int64(used))
		}
	}
}

// use counts d; if the share is used up it returns true after the pause that is due.
func (c *cpu) use(d time.Duration) bool {
	d = max(d, 0)
	c.total.Add(int64(d))
	if c.used.Add(int64(d)) <= int64(yieldEvery) {
		return false
	}
	c.turn <- struct{}{}
	defer func() { <-c.turn }()
	if c.used.Load() > int64(yieldEvery) {
		time.Sleep(yieldFor)
		c.used.Store(0)
	}
	return true
}

// throttle counts d against the quota; if that is spent it returns true when the next period has begun,
// or ctx has ended.
func (c *cpu) throttle(ctx context.Context, d time.Duration) bool {
	wait := c.overdrawn(d)
	if wait <= 0 {
		return false
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return true
}

// overdrawn is how long those who used d more have to stand still.
func (c *cpu) overdrawn(d time.Duration) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.quota <= 0 {
		return 0
	}
	now := time.Now()
	if past := now.Sub(c.began); past >= c.period {
		n := past / c.period
		c.began = c.began.Add(n * c.period)
		// A period's quota pays for what the one before took too much; more is not saved up.
		c.spent = max(0, c.spent-time.Duration(min(int64(n), int64(c.spent/c.quota)+1))*c.quota)
		c.stat.Periods++
	}
	c.spent += max(d, 0)
	if c.spent <= c.quota {
		return 0
	}
	wait := c.began.Add(c.period).Sub(now)
	c.stat.Throttled++
	c.stat.ThrottledFor += wait
	return wait
}

// setMax sets cpu.max.
func (c *cpu) setMax(quota, period time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if period <= 0 {
		period = defaultPeriod
	}
	if c.quota != quota || c.period != period {
		c.quota, c.period, c.began, c.spent = quota, period, time.Now(), 0
	}
}

// defaultPeriod is Linux' period of cpu.max.
const defaultPeriod = 100 * time.Millisecond
