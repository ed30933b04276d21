package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// shardTime is how long a shard may take; a single test of the suite waits up to 15 minutes.
const shardTime = 40 * time.Minute

// run runs the tests in shards and saves the results after each; name begins those of their files.
func (s *suite) run(ctx context.Context, o options, name, kubeconfig string, results *results, pending []test) error {
	begin := time.Now()
	var beside, alone []test
	for _, t := range pending {
		if t.serial {
			alone = append(alone, t)
		} else {
			beside = append(beside, t)
		}
	}
	shards := make(chan []test)
	var mu sync.Mutex // of results
	var failed error
	n := 0
	work := func(shard []test) {
		mu.Lock()
		n++
		name := fmt.Sprintf("%s-%03d", name, n)
		mu.Unlock()
		got, err := s.runShard(ctx, o, name, kubeconfig, shard)
		if ctx.Err() != nil {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		ok := results.merge(o.target, shard, got)
		say("shard %s: %d of %d passed", name, ok, len(shard))
		if err == nil && o.record {
			err = results.save(resultsFile, o.target)
		}
		if err != nil && failed == nil {
			failed = err
		}
	}
	var workers sync.WaitGroup
	for range max(1, o.workers) {
		workers.Go(func() {
			for shard := range shards {
				work(shard)
			}
		})
	}
	late := func() bool { return ctx.Err() != nil || o.budget > 0 && time.Since(begin) > o.budget }
	for shard := range slices.Chunk(beside, o.shard) {
		if late() {
			break
		}
		select {
		case shards <- shard:
		case <-ctx.Done():
		}
	}
	close(shards)
	workers.Wait()
	for shard := range slices.Chunk(alone, o.shard) {
		if late() {
			break
		}
		work(shard)
	}
	return failed
}

// runShard runs a few tests in one process of the runner, whose output goes to a file.
func (s *suite) runShard(ctx context.Context, o options, name, kubeconfig string, shard []test) ([]spec, error) {
	dir, err := filepath.Abs(filepath.Join(workDir, "shards"))
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	report := filepath.Join(dir, name+".json")
	_ = os.Remove(report)
	log, err := os.Create(filepath.Join(dir, name+".log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	names := make([]string, len(shard))
	for i, t := range shard {
		names[i] = regexp.QuoteMeta(t.name)
	}
	ctx, cancel := context.WithTimeout(ctx, shardTime)
	defer cancel()
	line := []string{s.runner,
		"--ginkgo.focus=(" + strings.Join(names, "|") + ")$",
		"--ginkgo.json-report=" + report, "--ginkgo.no-color", "--ginkgo.succinct", "--ginkgo.silence-skips",
		"--ginkgo.timeout=" + (shardTime - time.Minute).String(), // so that it cleans up itself
		"--kubeconfig=" + kubeconfig, "--kubectl-path=" + s.kubectl,
		"--provider=skeleton", "--num-nodes=3", "--report-dir=",
	}
	if o.network != "" {
		line = append([]string{"nsenter", "--net=" + o.network, "--"}, line...)
	}
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
	cmd.WaitDelay = time.Minute
	_ = cmd.Run() // tests that fail are in the report
	if _, err := os.Stat(report); err != nil {
		return nil, nil // it ended before its report: merge says so of each test
	}
	return readReport(report)
}
