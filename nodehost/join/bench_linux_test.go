package join

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/nodehost/nodetest"
	"github.com/tabernetes/tabernetes/nodehost/testnet"
)

func TestMain(m *testing.M) { testnet.Main(m, testnet.Roles{"measure": measure}) }

// bench is a real node of one cluster, and what was measured of it.
type bench struct {
	*rig
	name    string
	agent   *nodetest.Process
	samples map[string][]float64 // milliseconds
}

// TestBenchNode prints what `make bench-node` shows: the same node on the native core and on the tab, in
// turns, so that what else the machine does hits both.
func TestBenchNode(t *testing.T) {
	if os.Getenv("TABERNETES_BENCH") == "" {
		t.Skip("scripts/bench-node runs it")
	}
	both := []*bench{newBench(t, newRig(t), "native"), newBench(t, newTabRig(t, false), "tab")}
	turns := func(n int, name string, m measuring) {
		for range n {
			for _, b := range both {
				b.measure(t, name, m)
			}
		}
		for _, s := range stages {
			native, tab := both[0].samples[name+s.name], both[1].samples[name+s.name]
			if len(native) == 0 || len(tab) == 0 {
				continue // commands have no stages
			}
			compare("node_"+name+s.name, "p50", quantile(native, 0.5), quantile(tab, 0.5))
			if s.name == "" {
				compare("node_"+name, "p99", quantile(native, 0.99), quantile(tab, 0.99))
			}
		}
	}
	turns(6, "create_1", measuring{Pods: 1, Rounds: 5})
	turns(4, "create_30", measuring{Pods: 30, Rounds: 1})
	turns(3, "exec", measuring{Exec: true, Rounds: 20})
	for _, pods := range []int{0, 50} {
		for _, b := range both {
			if pods > 0 {
				b.measure(t, "", measuring{Pods: pods, Rounds: 1, Keep: true})
			}
			b.idle(t, pods)
		}
	}
}

// newBench has a machine of that name join.
func newBench(t *testing.T, r *rig, name string) *bench {
	t.Helper()
	h := r.host(t, name, "192.168.171.11/24")
	b := &bench{rig: r, name: name, samples: map[string][]float64{}}
	b.agent = h.Join(t, h.JoinLine(t)...)
	h.ImportImages(t, "pause", "busybox")
	b.measure(t, "", measuring{Pods: 1, Rounds: 1}) // the first of all is no sample
	return b
}

func compare(name, quantile string, native, tab float64) {
	figure(name+"_native_"+quantile, native, "ms")
	figure(name+"_tab_"+quantile, tab, "ms")
	figure(name+"_ratio_"+quantile, tab/native, "x")
}

func figure(name string, value float64, unit string) {
	text := strconv.FormatFloat(value, 'g', 3, 64)
	if value >= 100 {
		text = strconv.FormatFloat(value, 'f', 0, 64)
	}
	fmt.Println("figure", name, text, unit)
}

func quantile(samples []float64, q float64) float64 {
	sorted := slices.Sorted(slices.Values(samples))
	return sorted[min(len(sorted)-1, int(float64(len(sorted))*q))]
}

// measure runs one measurement from the hub's machine, in a process of its own.
func (b *bench) measure(t *testing.T, name string, m measuring) {
	t.Helper()
	m.Kubeconfig, m.Node = b.Kubeconfig(), b.name
	p := b.Hub.Launch(t, "measure", m)
	if err := p.Wait(t, nodetest.BuildPatience); err != nil {
		t.Fatalf("measure %s: %v\n%s", name, err, p.Output())
	}
	for l := range strings.Lines(p.Output()) {
		var stage string
		var ms float64
		if n, _ := fmt.Sscanf(l, "sample %q %g", &stage, &ms); n == 2 {
			b.samples[name+stage] = append(b.samples[name+stage], ms)
		}
	}
}

// idle measures the node's agent while nothing is asked of it.
func (b *bench) idle(t *testing.T, pods int) {
	t.Helper()
	const rest, length = 20 * time.Second, 30 * time.Second
	time.Sleep(rest)
	before := cpuTime(t, b.agent.PID())
	time.Sleep(length)
	spent := cpuTime(t, b.agent.PID()) - before
	figure(fmt.Sprintf("node_idle_cpu_%d_pods_%s", pods, b.name), 100*spent.Seconds()/length.Seconds(), "percent")
	figure(fmt.Sprintf("node_idle_rss_%d_pods_%s", pods, b.name), residentMB(t, b.agent.PID()), "MB")
}

// cpuTime is what a process has used, in user and system mode.
func cpuTime(t *testing.T, pid int) time.Duration {
	t.Helper()
	fields := nodetest.Status(pid)
	if len(fields) < 13 {
		t.Fatal("the process has gone")
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	const hz = 100 // USER_HZ, the same on every Linux that Go runs on
	return time.Duration(user+system) * time.Second / hz
}

func residentMB(t *testing.T, pid int) float64 {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		t.Fatal(err)
	}
	pages, _ := strconv.Atoi(strings.Fields(string(b))[1])
	return float64(pages*syscall.Getpagesize()) / 1e6
}
