package program

import (
	"sync"
	"syscall"
	"time"
)

// Limits bound a Cgroup; 0 is no limit of its own.
type Limits struct {
	// Memory is memory.max, in bytes: what its processes hold in variables, buffers, pipes and
	// stacks. Files count for the node's file system (see Disk), not here.
	Memory int64
	// Pids is pids.max: processes, those that a shell makes of itself included.
	Pids int
	// Files is how many files its processes may have open together.
	Files int
	// CPUQuota is how much of each CPUPeriod its processes may use together (cpu.max), by the account of
	// CPUStat; more than one period's worth is more than there is, as there is one thread. A period of 0
	// is Linux' 100 ms.
	CPUQuota, CPUPeriod time.Duration
}

// Cgroup counts and limits what the processes of a container hold, in the words of Linux'
// control groups (cgroups(7), version 2). They stand in a tree: a container's below that of all
// pods, whose limit keeps them from taking what the cluster itself needs.
//
// Go's heap has no owner, so a program says itself what it is going to hold, before it does:
// see Memory. Beyond a limit of memory a container is killed as a whole (memory.oom.group):
// its own, if the limit is its own; the one that holds most, if it is that of all. Beyond
// one of processes or files the call fails, with EAGAIN or EMFILE. A nil Cgroup has no limits.
type Cgroup struct {
	tree     *sync.Mutex // guards the whole tree
	parent   *Cgroup
	children map[*Cgroup]struct{}
	limits   Limits
	oom      func() // kills what is in it; nil if it cannot be killed

	memory int64 // held in it and below
	pids   int
	files  int
	dying  bool // was killed for its memory: what it holds is on its way out
	closed bool

	cpu cpu
}

// NewCgroup makes a cgroup below parent, which may be nil. oom is called at most once, when it
// is to be killed because a limit of memory has been reached.
func NewCgroup(parent *Cgroup, limits Limits, oom func()) *Cgroup {
	g := &Cgroup{parent: parent, limits: limits, oom: oom, children: map[*Cgroup]struct{}{}}
	g.cpu.turn = make(chan struct{}, 1)
	g.cpu.setMax(limits.CPUQuota, limits.CPUPeriod)
	if parent == nil {
		g.tree = &sync.Mutex{}
		return g
	}
	g.tree = parent.tree
	g.tree.Lock()
	defer g.tree.Unlock()
	parent.children[g] = struct{}{}
	return g
}

// SetLimits replaces the limits. What is in it is killed if it holds more memory than it may from now on.
func (g *Cgroup) SetLimits(limits Limits) {
	if g == nil {
		return
	}
	g.tree.Lock()
	g.limits = limits
	g.tree.Unlock()
	g.cpu.setMax(limits.CPUQuota, limits.CPUPeriod)
	_ = g.charge(0) // has who holds too much killed; nothing is drawn
}

// Limits are those that it has.
func (g *Cgroup) Limits() Limits {
	if g == nil {
		return Limits{}
	}
	g.tree.Lock()
	defer g.tree.Unlock()
	return g.limits
}

// Pids is how many processes it has.
func (g *Cgroup) Pids() int {
	if g == nil {
		return 0
	}
	g.tree.Lock()
	defer g.tree.Unlock()
	return g.pids
}

// Files is how many files its processes have open.
func (g *Cgroup) Files() int {
	if g == nil {
		return 0
	}
	g.tree.Lock()
	defer g.tree.Unlock()
	return g.files
}

// Close takes the cgroup out of its tree, with all that it still holds. Nothing can be drawn
// from it any more.
func (g *Cgroup) Close() {
	if g == nil {
		return
	}
	g.tree.Lock()
	defer g.tree.Unlock()
	if g.closed {
		return
	}
	g.closed = true
	for a := g.parent; a != nil; a = a.parent {
		a.memory -= g.memory
	}
	if g.parent != nil {
		delete(g.parent.children, g)
	}
}

// Memory is what is held in the cgroup and below it now, in bytes.
func (g *Cgroup) Memory() int64 {
	if g == nil {
		return 0
	}
	g.tree.Lock()
	defer g.tree.Unlock()
	return g.memory
}

// charge draws n bytes. The error is ENOMEM: the caller's container is being killed, or gone.
func (g *Cgroup) charge(n int64) error {
	if g == nil {
		return nil
	}
	victims, err := g.draw(n)
	for _, victim := range victims {
		if victim.oom != nil {
			victim.oom()
		}
	}
	return err
}

func (g *Cgroup) draw(n int64) (victims []*Cgroup, err error) {
	g.tree.Lock()
	defer g.tree.Unlock()
	if g.closed || g.dying {
		return nil, syscall.ENOMEM
	}
	for a := g; a != nil; a = a.parent {
		for a.limits.Memory > 0 && a.memory-a.leaving()+n > a.limits.Memory {
			victim := a.largest(g, n)
			victim.dying = true
			victims = append(victims, victim)
			if victim == g {
				return victims, syscall.ENOMEM
			}
		}
	}
	for a := g; a != nil; a = a.parent {
		a.memory += n
	}
	return victims, nil
}

// leaving is what those that are being killed still hold. The caller holds the tree's lock.
func (g *Cgroup) leaving() int64 {
	if g.dying {
		return g.memory
	}
	var sum int64
	for child := range g.children {
		sum += child.leaving()
	}
	return sum
}

// largest is who is killed for a limit of g: the cgroup below it that holds most and can be
// killed; asking, which wants n bytes more, if there is no larger one.
func (g *Cgroup) largest(asking *Cgroup, n int64) *Cgroup {
	found, most := asking, asking.memory+n
	var look func(g *Cgroup)
	look = func(g *Cgroup) {
		if g != asking && g.oom != nil && !g.dying && g.memory > most {
			found, most = g, g.memory
		}
		for child := range g.children {
			look(child)
		}
	}
	look(g)
	return found
}

// uncharge gives n bytes back.
func (g *Cgroup) uncharge(n int64) {
	if g == nil {
		return
	}
	g.tree.Lock()
	defer g.tree.Unlock()
	g.memory -= n
	for a := g.parent; a != nil && !g.closed; a = a.parent {
		a.memory -= n
	}
}

// processMemory is what a process holds at least: goroutines' stacks, streams, its shell.
const processMemory = 64 << 10

// Fork counts a process that begins. The error is EAGAIN if there are too many, and ENOMEM if
// the container is being killed. exit counts its end; it is nil with an error.
func (g *Cgroup) Fork() (exit func(), err error) {
	if g == nil {
		return func() {}, nil
	}
	if err := g.count(&g.pids, &g.limits.Pids, syscall.EAGAIN); err != nil {
		return nil, err
	}
	if err := g.charge(processMemory); err != nil {
		g.uncount(&g.pids)
		return nil, err
	}
	return func() {
		g.uncharge(processMemory)
		g.uncount(&g.pids)
	}, nil
}

// openFile counts a file that is opened; the error is EMFILE.
func (g *Cgroup) openFile() error {
	if g == nil {
		return nil
	}
	return g.count(&g.files, &g.limits.Files, syscall.EMFILE)
}

func (g *Cgroup) closeFile() {
	if g != nil {
		g.uncount(&g.files)
	}
}

// count counts one more of what, of which limit is the most; both are read under the tree's lock.
func (g *Cgroup) count(what, limit *int, tooMany error) error {
	g.tree.Lock()
	defer g.tree.Unlock()
	if *limit > 0 && *what >= *limit {
		return tooMany
	}
	*what++
	return nil
}

func (g *Cgroup) uncount(what *int) {
	g.tree.Lock()
	defer g.tree.Unlock()
	*what--
}
