package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

// options are the command's flags.
type options struct {
	target     string
	focus      string
	list       string
	again      string
	kubeconfig string
	network    string
	configDir  string
	workers    int
	shard      int
	budget     time.Duration
	strict     bool
	retry      bool
	resume     bool
	notes      string
	reportOnly bool
	record     bool
}

func main() {
	var o options
	flag.StringVar(&o.target, "target", "tab", "what to run against: "+strings.Join(targets, ", "))
	flag.StringVar(&o.focus, "focus", "", "regular expression; only tests whose name it matches (default: those that need no real node)")
	flag.StringVar(&o.list, "list", "", "file with a test's name in each line: only these; \"#\" begins a remark")
	flag.StringVar(&o.again, "again", "", "\"failed\" or \"all\": run tests that have a result, too")
	flag.StringVar(&o.kubeconfig, "kubeconfig", "", "use this cluster in place of starting one; results count for -target")
	flag.StringVar(&o.network, "network", "", "path of the network namespace from which -kubeconfig's cluster is reached (default: this one)")
	flag.StringVar(&o.configDir, "config-dir", "", "configuration of the cluster that is started (docs/configuration.md), with -target native; its results are not recorded")
	flag.IntVar(&o.workers, "workers", 3, "shards at a time; tests marked [Serial] always run alone")
	flag.IntVar(&o.shard, "shard", 6, "tests in a shard; results are kept shard by shard")
	flag.DurationVar(&o.budget, "budget", 0, "begin no shard after this time")
	flag.BoolVar(&o.strict, "strict", false, "exit with 1 if a test that ran has failed")
	flag.BoolVar(&o.retry, "retry", false, fmt.Sprintf("run what failed once more, by itself, if no more than %d did", maxRetried))
	flag.BoolVar(&o.resume, "resume", false, "with -target tab: run half of the tests, have the page go on from its memory, and run the other half")
	flag.StringVar(&o.notes, "notes", "", "file that gets a line of each test that failed, or passed in its second run")
	flag.BoolVar(&o.reportOnly, "report", false, "only write the report again")
	flag.BoolVar(&o.record, "record", true, "keep the results in docs; without it they are only counted")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

const (
	workDir     = "out/conformance"
	resultsFile = "docs/conformance.json"
	reportFile  = "docs/conformance.md"
)

func run(ctx context.Context, o options) error {
	if !slices.Contains(targets, o.target) {
		return fmt.Errorf("-target is %q; %s are known", o.target, strings.Join(targets, ", "))
	}
	if o.configDir != "" && (o.target != "native" || o.kubeconfig != "" || o.record) {
		return errors.New("-config-dir is for a cluster of -target native that is started, and what it does is no result of the defaults: add -record=false")
	}
	if o.resume && (o.target != "tab" || o.kubeconfig != "" || o.record) {
		return errors.New("-resume is for a cluster of -target tab that is started, and what it does is no result of the defaults: add -record=false")
	}
	focus, err := regexp.Compile(o.focus)
	if err != nil {
		return fmt.Errorf("-focus: %w", err)
	}
	if err := os.MkdirAll(workDir, 0o755); err != nil {
		return err
	}
	version, err := kubernetesVersion()
	if err != nil {
		return err
	}
	results, err := loadResults(resultsFile, version)
	if err != nil {
		return err
	}
	if o.reportOnly {
		return writeReport(reportFile, results)
	}
	s, err := buildSuite(ctx, version)
	if err != nil {
		return err
	}
	tests, err := s.list(ctx)
	if err != nil {
		return err
	}
	results.adopt(tests)
	if o.record && o.kubeconfig == "" {
		if results.commit, err = commitHere(ctx); err != nil {
			return err
		}
	}
	listed, err := readList(o.list, tests)
	if err != nil {
		return err
	}
	pending := results.pending(tests, o.target, o.again, func(t test) bool {
		if o.list == "" && o.focus == "" {
			return notRunReason(o.target, t.name) == ""
		}
		return (o.list == "" || listed[t.name]) && focus.MatchString(t.name)
	})
	say("%d tests to run of %d", len(pending), len(tests))
	var retried []retried
	if len(pending) > 0 {
		if retried, err = runAgainst(ctx, o, s, results, pending); err != nil {
			return err
		}
	}
	if o.record {
		if err := results.save(resultsFile, o.target); err != nil {
			return err
		}
		if err := writeReport(reportFile, results); err != nil {
			return err
		}
	}
	ran, failed := results.tally(pending, o.target)
	for _, t := range pending {
		if got, ok := results.Tests[t.name][o.target]; ok && !got.Passed {
			say("failed: %s: %s", t.name, got.Reason)
		}
	}
	if o.notes != "" {
		if err := os.WriteFile(o.notes, notes(results, o.target, pending, retried), 0o644); err != nil {
			return fmt.Errorf("write the notes: %w", err)
		}
	}
	say("%d ran, %d passed, %d failed; %s lists all", ran, ran-failed, failed, reportFile)
	if o.strict && (failed > 0 || ran < len(pending)) {
		return errors.New("not everything passed")
	}
	return nil
}

func runAgainst(ctx context.Context, o options, s *suite, results *results, pending []test) ([]retried, error) {
	kubeconfig := o.kubeconfig
	dir, err := claim("cluster-" + o.target)
	if err != nil {
		return nil, err
	}
	var started *target
	if kubeconfig == "" {
		if started, err = startTarget(ctx, o, dir); err != nil {
			return nil, err
		}
		defer started.stop()
		kubeconfig, o.network = started.kubeconfig, started.network
	}
	if kubeconfig, err = filepath.Abs(kubeconfig); err != nil {
		return nil, err
	}
	name := strings.TrimPrefix(filepath.Base(dir), "cluster-")
	if o.resume {
		half := len(pending) / 2
		if err := s.run(ctx, o, name+"-before", kubeconfig, results, pending[:half]); err != nil {
			return nil, err
		}
		say("the page goes on from its memory")
		if err := started.goOn(ctx, s.kubectl); err != nil {
			return nil, err
		}
		say("it went on")
		err = s.run(ctx, o, name, kubeconfig, results, pending[half:])
	} else {
		err = s.run(ctx, o, name, kubeconfig, results, pending)
	}
	if err != nil || !o.retry {
		return nil, err
	}
	return s.again(ctx, o, name, kubeconfig, results, pending)
}

func say(format string, args ...any) {
	fmt.Printf("conformance: %s "+format+"\n", append([]any{time.Now().Format("15:04:05")}, args...)...)
}
