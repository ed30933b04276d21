package serve

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// stopPatience is how long the control plane may take to end before it is killed.
const stopPatience = 20 * time.Second

// runControlPlane runs `nodehost control-plane` until ctx is done, and says "ready" when it does.
func (o *Options) runControlPlane(ctx context.Context) error {
	dir, args := o.DataDir, []string(nil)
	if dir == "" {
		made, err := os.MkdirTemp("", "tabernetes-")
		if err != nil {
			return fmt.Errorf("make the cluster's directory: %w", err)
		}
		defer os.RemoveAll(made)
		dir = made
	} else if len(o.Etcd.Servers) == 0 {
		args = append(args, "--store", "--store-sync="+o.StoreSync)
	}
	if len(o.Etcd.Servers) > 0 {
		leave, err := o.openGateway(ctx)
		if err != nil {
			return err
		}
		defer leave()
		args = append(args, o.Etcd.Flags()...)
	}
	if o.ConfigDir != "" {
		config, err := filepath.Abs(o.ConfigDir)
		if err != nil {
			return fmt.Errorf("find the configuration: %w", err)
		}
		args = append(args, "--config-dir="+config)
	}
	kubeconfig, err := filepath.Abs(o.Kubeconfig)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(kubeconfig), 0o755); err != nil {
		return fmt.Errorf("make the kubeconfig's directory: %w", err)
	}
	if o.DataDir == "" {
		defer os.Remove(kubeconfig) // its cluster is gone then
	}
	cmd := exec.CommandContext(ctx, o.Program, append([]string{"control-plane",
		"--state=" + o.State.Dir, "--dir=" + dir, "--name=" + o.Name, "--nodes=" + strconv.Itoa(o.Nodes),
		"--refuse-images=" + strconv.FormatBool(o.RefuseImages),
		"--kubeconfig=" + kubeconfig, "--grant=" + strconv.FormatBool(o.Grant)}, args...)...)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = stopPatience
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	// The kernel sends the parent-death signal when the starting thread ends: keep it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start: %w", err)
	}
	if o.ConfigDir != "" {
		hup := make(chan os.Signal, 1)
		signal.Notify(hup, syscall.SIGHUP)
		defer signal.Stop(hup)
		go func() {
			for {
				select {
				case <-hup:
					_ = cmd.Process.Signal(syscall.SIGHUP)
				case <-ctx.Done():
					return
				}
			}
		}()
	}
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if name, ok := strings.CutPrefix(lines.Text(), "ready "); ok {
				fmt.Fprintf(o.Out, "ready %s %s\n", name, kubeconfig)
			}
		}
	}()
	err = cmd.Wait()
	if ctx.Err() != nil {
		return nil
	}
	return fmt.Errorf("it ended: %w", err)
}
