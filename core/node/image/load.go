package image

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/tabernetes/tabernetes/core/program"
)

// stressImage is the image of which Kubernetes' documentation makes pods that use more than they may.
func stressImage(tools map[string]program.Program) Image {
	return userland(Image{
		Names:    []string{"polinux/stress", "polinux/stress-ng"},
		Tags:     Tags{Words: []string{"latest"}, Releases: []Release{{0, 19}, {1, 0}}},
		Cmd:      []string{"stress", "--verbose"},
		Env:      []string{defaultPath},
		Files:    base("NAME=\"Alpine Linux\"\nID=alpine\nPRETTY_NAME=\"Alpine Linux (the tab's own tools)\"\n"),
		Programs: map[string]program.Program{"/usr/local/bin/stress": stress},
	}, "/bin/busybox", tools)
}

// vishStress is the other one, with flags of its own (github.com/vishh/stress).
func vishStress() Image {
	return Image{
		Names: []string{"vish/stress"}, Tags: Tags{Words: []string{"latest"}}, Entrypoint: []string{"/stress"}, Env: []string{defaultPath},
		Programs: map[string]program.Program{"/stress": vishMain},
	}
}

// hpaExample is the server of the HorizontalPodAutoscaler's walkthrough: each request computes for a while
// (registry.k8s.io/hpa-example).
func hpaExample(tools map[string]program.Program) Image {
	return userland(Image{
		Names:        []string{"registry.k8s.io/hpa-example", "k8s.gcr.io/hpa-example"},
		Tags:         Tags{Words: []string{"latest"}},
		Cmd:          []string{"apache2-foreground"},
		Env:          []string{defaultPath},
		ExposedPorts: []string{"80/tcp"},
		Files:        base(debianRelease),
		Programs:     map[string]program.Program{"/usr/local/bin/apache2-foreground": serveRoots},
	}, "/bin/busybox", tools)
}

// phpRounds are more than index.php's million: compiled code is through with that so soon that the load of the
// walkthrough would be none, and nothing would be scaled.
const phpRounds = 20_000_000

func serveRoots(ctx context.Context, p *program.Process) int {
	ctx, stop := UntilTold(ctx, p)
	defer stop()
	return serveHTTP(ctx, p, 80, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		paced := program.Yield(r.Context())
		x := 0.0001
		for i := 0; i <= phpRounds; i++ { // as its index.php
			x += math.Sqrt(x)
			if i%(phpRounds/1000) == 0 && paced.Err() != nil {
				return
			}
		}
		fmt.Fprint(w, "OK!")
	}))
}

// stress uses processor time and memory as stress(1) does. Its memory is on the container's account and
// nowhere else: the tab has to have room for what pods do, not for what they pretend.
func stress(ctx context.Context, p *program.Process) int {
	flags := pflag.NewFlagSet(p.Args[0], pflag.ContinueOnError)
	flags.SetOutput(p.Stderr)
	cpus := flags.IntP("cpu", "c", 0, "spawn N workers that compute")
	vms := flags.IntP("vm", "m", 0, "spawn N workers that hold memory")
	vmBytes := flags.String("vm-bytes", "256M", "memory of each")
	vmHang := flags.String("vm-hang", "", "sleep N seconds before giving memory back")
	timeout := flags.StringP("timeout", "t", "", "end after N seconds")
	flags.BoolP("verbose", "v", false, "")
	flags.BoolP("quiet", "q", false, "")
	flags.Bool("vm-keep", false, "")
	if err := flags.Parse(p.Args[1:]); err != nil {
		fmt.Fprintf(p.Stderr, "stress: %v\n", err)
		return 1
	}
	bytes, err := stressBytes(*vmBytes)
	if err != nil {
		fmt.Fprintf(p.Stderr, "stress: FAIL: unrecognized --vm-bytes: %v\n", err)
		return 1
	}
	fmt.Fprintf(p.Stdout, "stress: info: [%d] dispatching hogs: %d cpu, 0 io, %d vm, 0 hdd\n", p.PID, *cpus, *vms)
	ctx, stop := UntilTold(ctx, p)
	defer stop()
	if seconds, err := strconv.Atoi(strings.TrimSuffix(*timeout, "s")); err == nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(seconds)*time.Second)
		defer cancel()
	}
	hang := flags.Changed("vm-hang") && *vmHang != ""
	for range min(*vms, maxStress) {
		held := p.Memory()
		defer held.Free()
		if held.Grow(int(min(bytes, math.MaxInt32))) != nil {
			fmt.Fprintln(p.Stderr, "stress: FAIL: worker got signal 9")
			return 1
		}
	}
	if workers := min(*cpus, maxStress); workers > 0 || !hang && *vms > 0 {
		spin(ctx, max(workers, 1))
	}
	<-ctx.Done()
	return 0
}

// maxStress is how many workers there are at most; they have one thread together.
const maxStress = 64

// spin uses the processor until ctx is done.
func spin(ctx context.Context, workers int) {
	done := make(chan struct{})
	for range workers {
		go func() {
			paced := program.Yield(ctx)
			for x := 1.0; paced.Err() == nil; {
				for range 10_000 {
					x += math.Sqrt(x)
				}
			}
			done <- struct{}{}
		}()
	}
	for range workers {
		<-done
	}
}

// stressBytes reads a size as stress(1) has it, 150M being of 2^20 bytes, or with Kubernetes' Mi.
func stressBytes(s string) (int64, error) {
	s = strings.TrimRight(s, "iB")
	unit := int64(1)
	for suffix, n := range map[string]int64{"K": 1 << 10, "M": 1 << 20, "G": 1 << 30} {
		if number, ok := strings.CutSuffix(strings.ToUpper(s), suffix); ok {
			s, unit = number, n
		}
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64/unit {
		return 0, fmt.Errorf("%q is no size", s)
	}
	return n * unit, nil
}

// vishMain takes -cpus, and memory step by step.
func vishMain(ctx context.Context, p *program.Process) int {
	cpus, total, step, sleep := 0, int64(0), int64(4<<10), time.Millisecond
	args := p.Args[1:]
	for len(args) > 1 {
		var err error
		name, value := strings.TrimLeft(args[0], "-"), args[1]
		switch name {
		case "cpus":
			cpus, err = strconv.Atoi(value)
		case "mem-total":
			total, err = stressBytes(value)
		case "mem-alloc-size":
			step, err = stressBytes(value)
		case "mem-alloc-sleep":
			sleep, err = time.ParseDuration(value)
		}
		if err != nil {
			fmt.Fprintf(p.Stderr, "invalid value %q for flag -%s: %v\n", value, name, err)
			return 2
		}
		args = args[2:]
	}
	ctx, stop := UntilTold(ctx, p)
	defer stop()
	fmt.Fprintf(p.Stderr, "main.go: Allocating %d bytes of memory, in chunks of %d, with a %v sleep between allocations\n", total, step, sleep)
	held := p.Memory()
	defer held.Free()
	for held.Held() < total && ctx.Err() == nil {
		if held.Grow(int(max(1, min(step, total-held.Held())))) != nil {
			return 1
		}
		select {
		case <-ctx.Done():
		case <-time.After(max(sleep, time.Millisecond)):
		}
	}
	spin(ctx, min(max(cpus, 0), maxStress))
	<-ctx.Done()
	return 0
}
