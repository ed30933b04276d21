package program_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tabernetes/tabernetes/core/program"
)

// killed makes a cgroup that notes under name when it is killed.
func killed(parent *program.Cgroup, memory int64, name string, notes *[]string) *program.Cgroup {
	return program.NewCgroup(parent, program.Limits{Memory: memory}, func() { *notes = append(*notes, name) })
}

func TestAContainerBeyondItsMemoryIsKilled(t *testing.T) {
	var notes []string
	g := killed(nil, 1<<20, "g", &notes)
	held := g.Holder()
	for range 15 {
		if err := held.Grow(64 << 10); err != nil {
			t.Fatal(err)
		}
	}
	if err := held.Grow(65 << 10); !errors.Is(err, syscall.ENOMEM) || len(notes) != 1 {
		t.Fatalf("beyond the limit: %v, killed %v", err, notes)
	}
	if held.Held() != 15*64<<10 || g.Memory() != 15*64<<10 {
		t.Errorf("the refused piece is held: %d, %d", held.Held(), g.Memory())
	}
	held.Free()
	if err := held.Grow(1); err == nil || len(notes) != 1 {
		t.Errorf("drawn from a container that is being killed: %v, %v", err, notes)
	}
	if g.Memory() != 0 {
		t.Errorf("%d held after everything was given back", g.Memory())
	}
}

func TestBeyondTheLimitOfAllTheLargestIsKilled(t *testing.T) {
	var notes []string
	pods := program.NewCgroup(nil, program.Limits{Memory: 1 << 20}, nil)
	big, small := killed(pods, 0, "big", &notes), killed(pods, 0, "small", &notes)
	hoard, little := big.Holder(), small.Holder()
	if err := hoard.Grow(800 << 10); err != nil {
		t.Fatal(err)
	}
	if err := little.Grow(300 << 10); err != nil || !slices.Equal(notes, []string{"big"}) {
		t.Fatalf("the small one: %v, killed %v", err, notes)
	}
	if err := hoard.Grow(1 << 10); err == nil {
		t.Error("the killed one grows on")
	}
	// What the killed one still holds is on its way out: nobody else dies for it.
	if err := little.Grow(500 << 10); err != nil || len(notes) != 1 {
		t.Errorf("while the killed one ends: %v, killed %v", err, notes)
	}
	big.Close()
	if got := pods.Memory(); got != 800<<10 {
		t.Errorf("%d held after the big one's end", got)
	}
	hoard.Free() // after the end: counted once
	if got := pods.Memory(); got != 800<<10 {
		t.Errorf("%d held after a late release", got)
	}
}

func TestProcessesAreCounted(t *testing.T) {
	g := program.NewCgroup(nil, program.Limits{Pids: 3}, nil)
	table := program.NewTable()
	var codes []int
	var fork program.Program
	var deepest atomic.Int32
	fork = func(ctx context.Context, p *program.Process) int {
		deepest.Add(1)
		code := p.Table.Run(ctx, fork, p.Child("fork"))
		codes = append(codes, code)
		return code
	}
	var stderr strings.Builder
	code := table.Run(t.Context(), fork, &program.Process{Args: []string{"fork"}, Cgroup: g, Stderr: &stderr})
	if code != 126 || deepest.Load() != 3 || stderr.String() != "fork: can't fork: Resource temporarily unavailable\n" {
		t.Errorf("code %d, %d deep, %q", code, deepest.Load(), stderr.String())
	}
	if g.Memory() != 0 {
		t.Errorf("%d held after their end", g.Memory())
	}
	exit, err := g.Fork()
	if err != nil {
		t.Fatalf("their places are not free again: %v", err)
	}
	exit()
}

func TestReadAllDrawsWhatItReads(t *testing.T) {
	var notes []string
	g := killed(nil, 1<<20, "g", &notes)
	held := g.Holder()
	data, err := held.ReadAll(strings.NewReader(strings.Repeat("x", 100_000)))
	if err != nil || len(data) != 100_000 || held.Held() < 100_000 {
		t.Fatalf("%d bytes, %v, %d held", len(data), err, held.Held())
	}
	if _, err := held.ReadAll(endless{}); !errors.Is(err, syscall.ENOMEM) || len(notes) != 1 {
		t.Errorf("an endless input: %v, %v", err, notes)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

var _ io.Reader = endless{}

func TestManyProcessesUseNoMoreThanOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		g := program.NewCgroup(nil, program.Limits{}, nil)
		var worked atomic.Int64
		var wg sync.WaitGroup
		thread := make(chan struct{}, 1) // js has one
		for i := range 20 {
			time.Sleep(time.Duration(i) * 50 * time.Microsecond) // so that their pauses are not one
			p := &program.Process{Args: []string{"spin"}, Cgroup: g}
			wg.Go(func() {
				program.NewTable().Run(ctx, func(ctx context.Context, p *program.Process) int {
					y := program.Yield(ctx)
					for y.Err() == nil {
						thread <- struct{}{}
						time.Sleep(10 * time.Microsecond) // stands for work
						<-thread
						worked.Add(int64(10 * time.Microsecond))
					}
					return 0
				}, p)
			})
		}
		wg.Wait()
		if share := time.Duration(worked.Load()); share > 190*time.Millisecond {
			t.Errorf("20 processes used %v of 200 ms", share)
		}
	})
}

func TestLimitsThatChange(t *testing.T) {
	var notes []string
	g := killed(nil, 1<<20, "g", &notes)
	held := g.Holder()
	if err := held.Grow(512 << 10); err != nil {
		t.Fatal(err)
	}
	g.SetLimits(program.Limits{Memory: 2 << 20})
	if err := held.Grow(1 << 20); err != nil || len(notes) != 0 {
		t.Fatalf("below the new limit: %v, killed %v", err, notes)
	}
	g.SetLimits(program.Limits{Memory: 1 << 20})
	if len(notes) != 1 {
		t.Error("who holds more than the new limit goes on")
	}
}

// TestProcessorTime has two processes of a container use what they get of the thread, with and without a
// limit.
func TestProcessorTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pods := program.NewCgroup(nil, program.Limits{}, nil)
		g := program.NewCgroup(pods, program.Limits{}, nil)
		work := func(g *program.Cgroup, lasts time.Duration) time.Duration {
			before, end := g.CPU().Usage, time.Now().Add(lasts)
			ctx := program.Yield(g.Context(t.Context()))
			for time.Now().Before(end) && ctx.Err() == nil {
				time.Sleep(500 * time.Microsecond) // stands for a computation
			}
			return g.CPU().Usage - before
		}
		if used := work(g, time.Second); used < 600*time.Millisecond || used > time.Second {
			t.Errorf("a second's work used %s", used)
		}
		g.SetLimits(program.Limits{CPUQuota: 20 * time.Millisecond})
		if used := work(g, 10*time.Second); used < 1900*time.Millisecond || used > 2200*time.Millisecond {
			t.Errorf("ten seconds at a fifth used %s", used)
		}
		if s := g.CPU(); s.Periods < 90 || s.Throttled == 0 || s.ThrottledFor < 7*time.Second {
			t.Errorf("cpu.stat: %+v", s)
		}
		total := g.CPU().Usage
		g.Close()
		if pods.CPU().Usage != total {
			t.Errorf("of all pods: %s, of the one that there was: %s", pods.CPU().Usage, total)
		}
	})
}
