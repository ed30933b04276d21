package image

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"github.com/tabernetes/tabernetes/core/program"
)

// practice names images that no registry has: what lessons need, and everybody else writes as a loop of shell.
const practice = "images.tabernetes.internal/"

// loadImage asks an address so often a second, and says what it was answered: `load -qps 20 http://web`.
func loadImage(tools map[string]program.Program) Image {
	return userland(Image{
		Names:      []string{practice + "load"},
		Tags:       Tags{Words: []string{"latest", "v1"}},
		Entrypoint: []string{"/load"},
		Env:        []string{defaultPath},
		Files:      base("NAME=\"Tabernetes\"\nID=tabernetes\nPRETTY_NAME=\"What asks again and again\"\n"),
		Programs:   map[string]program.Program{"/load": load},
	}, "/bin/busybox", tools)
}

// Bounds of a load: requests a second, and how many wait for an answer at once.
const (
	minLoad    = 0.01
	maxLoad    = 1000
	maxWaiting = 100
)

const loadUsage = "usage: load [-qps N] [-for DURATION] [-timeout DURATION] URL"

// load asks until its time is over or it is told to end. Each second it prints a line; at the end it fails if nobody
// ever answered.
func load(ctx context.Context, p *program.Process) int {
	flags := pflag.NewFlagSet("load", pflag.ContinueOnError)
	flags.SetOutput(p.Stderr)
	qps := flags.Float64("qps", 10, "requests a second")
	lasts := flags.Duration("for", 0, "ends after this time")
	timeout := flags.Duration("timeout", 5*time.Second, "how long an answer is waited for")
	var args []string
	for _, arg := range p.Args[1:] { // with one hyphen or two
		if len(arg) > 2 && arg[0] == '-' && arg[1] != '-' {
			arg = "-" + arg
		}
		args = append(args, arg)
	}
	if err := flags.Parse(args); err != nil || flags.NArg() != 1 || !(*qps >= minLoad && *qps <= maxLoad) || *timeout <= 0 {
		fmt.Fprintf(p.Stderr, "%s (%g to %d a second)\n", loadUsage, minLoad, maxLoad)
		return 2
	}
	address := flags.Arg(0)
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	if _, err := http.NewRequest(http.MethodGet, address, nil); err != nil {
		fmt.Fprintf(p.Stderr, "load: %v\n", err)
		return 2
	}
	ctx, stop := UntilTold(ctx, p)
	defer stop()
	if *lasts > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, *lasts)
		defer cancel()
	}
	client := &http.Client{Timeout: *timeout, Transport: &http.Transport{DialContext: dialer(p), DisableKeepAlives: true, MaxResponseHeaderBytes: 64 << 10}}
	r := &loadReport{}
	var pending sync.WaitGroup
	slots := make(chan struct{}, maxWaiting)
	tick, second := time.NewTicker(time.Duration(float64(time.Second) / *qps)), time.NewTicker(time.Second)
	defer tick.Stop()
	defer second.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-second.C:
			r.print(p.Stdout)
		case <-tick.C:
			select {
			case slots <- struct{}{}:
				pending.Go(func() {
					defer func() { <-slots }()
					began := time.Now()
					what := once(ctx, client, address)
					if ctx.Err() == nil {
						r.add(what, time.Since(began))
					}
				})
			default:
				r.add("not sent, as too many wait", 0)
			}
		}
	}
	pending.Wait()
	r.print(p.Stdout)
	return oneUnless(r.answered)
}

func oneUnless(fine bool) int {
	if fine {
		return 0
	}
	return 1
}

// dialer resolves names as a pod does.
func dialer(p *program.Process) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		host, port, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}
		if net.ParseIP(host) == nil {
			ips, err := p.Net.LookupHost(ctx, host)
			if err != nil {
				return nil, err
			}
			host = ips[0]
		}
		return p.Net.Dial(ctx, network, net.JoinHostPort(host, port))
	}
}

// once is one GET, and what came of it: a code, or why there is none.
func once(ctx context.Context, client *http.Client, address string) string {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "no answer"
	}
	res, err := client.Do(req)
	if err != nil {
		return "no answer"
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 1<<20)) // what was promised beyond the code does not count
	return strconv.Itoa(res.StatusCode)
}

// loadReport counts what came since the last line.
type loadReport struct {
	mu       sync.Mutex
	counts   map[string]int
	times    []time.Duration
	answered bool // by anybody, ever
}

func (r *loadReport) add(what string, took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.counts == nil {
		r.counts = map[string]int{}
	}
	r.counts[what]++
	if _, err := strconv.Atoi(what); err == nil {
		r.answered = true
		r.times = append(r.times, took)
	}
}

// print writes "20 requests: 200 19, 503 1; half within 3ms", if there were any.
func (r *loadReport) print(w io.Writer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.counts) == 0 {
		return
	}
	all, parts := 0, []string{}
	for what, n := range r.counts {
		all += n
		parts = append(parts, fmt.Sprintf("%s %d", what, n))
	}
	slices.Sort(parts)
	line := fmt.Sprintf("%d requests: %s", all, strings.Join(parts, ", "))
	if len(r.times) > 0 {
		slices.Sort(r.times)
		line += fmt.Sprintf("; half within %s", r.times[len(r.times)/2].Round(100*time.Microsecond))
	}
	fmt.Fprintln(w, line)
	r.counts, r.times = nil, nil
}
