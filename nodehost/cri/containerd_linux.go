package cri

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// Containerd is a containerd that is kept running.
type Containerd struct {
	Config Config
	// Program is containerd's file.
	Program string
	// Log is a file that its log is appended to.
	Log string
	// Place puts the process where it belongs, by its id, before anything is run by it; may be nil.
	Place func(pid int) error
	// Events gets what people should know.
	Events *slog.Logger
}

const (
	firstWait = 200 * time.Millisecond
	lastWait  = 10 * time.Second
	// steady is how long it has to run for its next end to be a new matter.
	steady = 30 * time.Second
	// stopPatience is how long it may take to end.
	stopPatience = 15 * time.Second
	// maxLog is the size in bytes from which the log is put aside when containerd starts.
	maxLog = 20 << 20
)

// Prepare makes the directories and writes the configuration.
func (c *Containerd) Prepare() error {
	file, err := c.Config.File()
	if err != nil {
		return err
	}
	for _, dir := range []string{c.Config.Root, c.Config.State, c.Config.CNIConfDir, c.Config.RegistryDir, filepath.Dir(c.Log)} {
		if err := os.MkdirAll(dir, 0o711); err != nil {
			return fmt.Errorf("prepare containerd: %w", err)
		}
	}
	if err := os.WriteFile(c.configPath(), file, 0o600); err != nil {
		return fmt.Errorf("prepare containerd: %w", err)
	}
	return nil
}

func (c *Containerd) configPath() string { return filepath.Join(c.Config.Root, "config.toml") }

// Endpoint is the CRI endpoint.
func (c *Containerd) Endpoint() string { return "unix://" + c.Config.Socket }

// Run starts containerd, and again whenever it has ended, until ctx is done. Containers are left as
// they are.
func (c *Containerd) Run(ctx context.Context) error {
	for wait := firstWait; ; {
		began := time.Now()
		err := c.once(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
			return err
		}
		if time.Since(began) > steady {
			wait = firstWait
		}
		c.Events.Warn("containerd has ended; its containers go on, and it is started again", "error", err, "in", wait, "log", c.Log)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(wait):
		}
		wait = min(2*wait, lastWait)
	}
}

// once runs containerd until it ends.
func (c *Containerd) once(ctx context.Context) error {
	if st, err := os.Stat(c.Log); err == nil && st.Size() > maxLog {
		_ = os.Rename(c.Log, c.Log+".1")
	}
	log, err := os.OpenFile(c.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("open containerd's log: %w", err)
	}
	defer log.Close()
	cmd := exec.CommandContext(ctx, c.Program, "--config", c.configPath())
	cmd.Stdout, cmd.Stderr = log, log
	// A group of its own: an interrupt from the terminal is for nodehost, which tells it in order.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = stopPatience
	ended := make(chan error, 1)
	go func() {
		// The parent-death signal comes when the thread that started it ends.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if err := cmd.Start(); err != nil {
			ended <- fmt.Errorf("start containerd: %w", err)
			return
		}
		if c.Place != nil {
			if err := c.Place(cmd.Process.Pid); err != nil {
				_ = cmd.Process.Kill()
				_ = cmd.Wait()
				ended <- err
				return
			}
		}
		ended <- cmd.Wait()
	}()
	return <-ended
}
