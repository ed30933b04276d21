package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// target is a cluster that was started for the run.
type target struct {
	kubeconfig string
	network    string // path of the namespace from which it is reached, if that is not this one
	resume     string // a file: made, it has the page go on from its memory, and is gone when it has
	cmd        *exec.Cmd
}

// startPatience is how long a cluster may take to start, its build included.
const startPatience = 15 * time.Minute

// stopPatience is how long it may take to end; machines are taken off and cleaned up.
const stopPatience = 5 * time.Minute

// startTarget starts a cluster whose files are in dir, and waits for its "ready" line. Its output goes
// to a file there.
func startTarget(ctx context.Context, o options, dir string) (*target, error) {
	name := o.target
	kubeconfig := filepath.Join(dir, "kubeconfig")
	line := map[string][]string{
		"native": {"scripts/headless", "--native"},
		"tab":    {"scripts/headless"},
		real:     {"scripts/real-nodes"},
		realTab:  {"scripts/real-nodes", "--tab"},
	}[name]
	args := append(line[1:], "--state", filepath.Join(dir, "state"), "--kubeconfig", kubeconfig)
	if o.configDir != "" {
		args = append(args, "--config-dir", o.configDir)
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd := exec.CommandContext(ctx, line[0], args...)
	cmd.Stderr = log
	resume := ""
	if o.resume {
		resume = filepath.Join(dir, "resume")
		cmd.Env = append(os.Environ(), "RESUME="+resume)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGINT) }
	cmd.WaitDelay = stopPatience
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the cluster: %w", err)
	}
	t := &target{kubeconfig: kubeconfig, resume: resume, cmd: cmd}
	ready := make(chan string, 1)
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			fmt.Fprintln(log, lines.Text())
			if strings.HasPrefix(lines.Text(), "ready") {
				ready <- lines.Text()
			}
		}
		ready <- ""
	}()
	select {
	case said := <-ready:
		if said != "" {
			if name == real || name == realTab {
				t.network = strings.TrimPrefix(said, "ready ")
			}
			return t, nil
		}
		err = errors.New("it ended")
	case <-time.After(startPatience):
		err = fmt.Errorf("it was not ready after %s", startPatience)
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	t.stop()
	return nil, fmt.Errorf("start the cluster: %w; see %s", err, log.Name())
}

// goOn has the page leave the hub, keep its memory, and go on from it, and waits until the hub leads to it again.
func (t *target) goOn(ctx context.Context, kubectl string) error {
	if err := os.WriteFile(t.resume, nil, 0o600); err != nil {
		return fmt.Errorf("have the page go on from its memory: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	for {
		err := errors.New("it is still at it")
		if _, gone := os.Stat(t.kubeconfig); gone != nil {
			return fmt.Errorf("have the page go on from its memory: it ended; the cluster's log says why: %w", gone)
		}
		if _, gone := os.Stat(t.resume); gone != nil {
			ask := exec.CommandContext(ctx, kubectl, "--kubeconfig", t.kubeconfig, "--request-timeout=10s", "get", "--raw", "/readyz")
			if _, err = ask.Output(); err == nil {
				return nil
			}
			err = explain(err)
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return fmt.Errorf("have the page go on from its memory: %w (%w); the cluster's log says more", ctx.Err(), err)
		}
	}
}

func (t *target) stop() {
	_ = t.cmd.Process.Signal(syscall.SIGINT)
	_ = t.cmd.Wait()
}
