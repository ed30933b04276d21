package image

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"github.com/tabernetes/tabernetes/core/program"
)

// flakyImage serves on port 8080, and not always: by its variables.
func flakyImage(tools map[string]program.Program) Image {
	return userland(Image{
		Names:        []string{practice + "flaky"},
		Tags:         Tags{Words: []string{"latest", "v1"}},
		Cmd:          []string{"/flaky"},
		Env:          []string{defaultPath},
		ExposedPorts: []string{"8080/tcp"},
		Files:        base("NAME=\"Tabernetes\"\nID=tabernetes\nPRETTY_NAME=\"What fails now and then\"\n"),
		Programs:     map[string]program.Program{"/flaky": flaky},
	}, "/bin/busybox", tools)
}

// flakyAsked are the variables of flaky.
const flakyAsked = "FAIL: the share of requests that are answered 500, 0 to 1. SLOW: how long each answer takes, as 200ms. " +
	"READY_AFTER: how long /ready is answered 503. CRASH_AFTER: when the program ends with code 1"

// flaky serves as its variables say: so that probes, retries, rollouts and back-offs have something to do.
func flaky(ctx context.Context, p *program.Process) int {
	var share float64
	var slow, ready, crash time.Duration
	var err error
	if text := p.Getenv("FAIL"); text != "" {
		if share, err = strconv.ParseFloat(text, 64); err != nil || !(share >= 0 && share <= 1) {
			fmt.Fprintf(p.Stderr, "flaky: FAIL is %q. %s\n", text, flakyAsked)
			return 2
		}
	}
	for name, to := range map[string]*time.Duration{"SLOW": &slow, "READY_AFTER": &ready, "CRASH_AFTER": &crash} {
		if text := p.Getenv(name); text != "" {
			if *to, err = time.ParseDuration(text); err != nil || *to < 0 {
				fmt.Fprintf(p.Stderr, "flaky: %s is %q. %s\n", name, text, flakyAsked)
				return 2
			}
		}
	}
	port, err := portOf(p, 8080)
	if err != nil {
		fmt.Fprintf(p.Stderr, "flaky: %v\n", err)
		return 1
	}
	began := time.Now()
	ctx, stop := UntilTold(ctx, p)
	defer stop()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	if crash > 0 {
		timer := time.AfterFunc(crash, func() {
			fmt.Fprintf(p.Stderr, "flaky: %s are over, as CRASH_AFTER has it\n", crash)
			end(exitCode(1))
		})
		defer timer.Stop()
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/ready", func(w http.ResponseWriter, _ *http.Request) {
		if time.Since(began) < ready {
			http.Error(w, "not yet", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ready")
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
			return
		case <-time.After(slow):
		}
		if rand.Float64() < share {
			http.Error(w, "500 from "+p.Hostname, http.StatusInternalServerError)
			return
		}
		fmt.Fprintf(w, "200 from %s\n", p.Hostname)
	})
	code := serveHTTP(ctx, p, port, logged(p.Stdout, mux))
	var asked exitCode
	if errors.As(context.Cause(ctx), &asked) {
		return int(asked)
	}
	return code
}
