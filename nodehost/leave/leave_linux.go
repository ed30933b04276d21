package leave

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/tabernetes/tabernetes/nodehost/cgroup"
	"github.com/tabernetes/tabernetes/nodehost/cri"
	"github.com/tabernetes/tabernetes/nodehost/kubelet"
	"github.com/tabernetes/tabernetes/nodehost/network"
	"github.com/tabernetes/tabernetes/nodehost/nodedir"
	"github.com/tabernetes/tabernetes/nodehost/preflight"
	"github.com/tabernetes/tabernetes/nodehost/systemd"
)

// Options are the flags of `nodehost leave`.
type Options struct {
	Place nodedir.Place
	// Force leaves without draining, and even if what is known of the node cannot be read.
	Force bool
	// Patience is how long pods may take to go.
	Patience time.Duration
	Out      io.Writer
	Log      *slog.Logger
}

// ErrNoNode says that nothing is known of a node here.
var ErrNoNode = errors.New("this machine is no node")

// programs are those that leaving runs by their names: for the service, the node's own runtime, and the rules that it
// and its pods have in the machine's firewall.
var programs = []string{
	"systemctl", "containerd", "containerd-shim-runc-v2", "runc",
	"nft", "iptables", "iptables-save", "iptables-restore", "ip6tables", "ip6tables-save", "ip6tables-restore",
}

// stopPatience is how long the running nodehost may take to end.
const stopPatience = 40 * time.Second

// Run takes the node off.
func Run(ctx context.Context, o Options) error {
	var err error
	if o.Place, err = o.Place.Absolute(); err != nil {
		return err
	}
	s, err := o.Place.Load()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: there is no %s, and nothing was removed; a node that joined with --dir and --run-dir leaves with the same", ErrNoNode, o.Place.StateFile())
	case err != nil && o.Force && o.Place.IsMarked():
		o.Log.Warn("what is known of the node cannot be read; only its directories are removed", "error", err)
		s = &nodedir.State{}
	case err != nil:
		return err
	}
	// Whoever mistypes a directory names somebody else's, which the lock would mark as the node's.
	if err := o.Place.Check(); err != nil {
		return fmt.Errorf("leave: %w; nothing was removed: a node leaves with the --dir and --run-dir that it joined with", err)
	}
	if err := preflight.Untrusted(programs...); err != nil {
		return fmt.Errorf("leave: root would run what others can change: %w; nothing was removed: install it as root, and take it out of the others' directory", err)
	}
	release, pid, err := o.Place.Lock()
	running := errors.Is(err, nodedir.ErrRuns)
	if err != nil && !running {
		return fmt.Errorf("leave: %w", err)
	}
	if s.Joined && !s.Leaving {
		if err := o.farewell(ctx, s, running); err != nil {
			if !o.Force {
				if release != nil {
					release()
				}
				return fmt.Errorf("leave: %w; --force leaves without", err)
			}
			o.Log.Warn("the node leaves although it could not be drained", "error", err)
		}
	}
	if s.Service {
		// It would be started again as soon as it ends, or is about to be.
		if err := systemd.Stop(ctx); err != nil {
			return fmt.Errorf("leave: %w", err)
		}
	}
	if running {
		if release, err = stop(ctx, o.Place, pid); err != nil {
			return fmt.Errorf("leave: %w", err)
		}
	}
	defer release()
	return Clean(ctx, o.Place, s, o.Log)
}

// stop ends the running nodehost and takes its lock over.
func stop(ctx context.Context, p nodedir.Place, pid int) (release func(), err error) {
	told := 0
	for end := time.Now().Add(stopPatience); ; {
		release, now, err := p.Lock()
		if err == nil || !errors.Is(err, nodedir.ErrRuns) {
			return release, err
		}
		if now != 0 {
			pid = now // somebody may have started another one
		}
		if pid != told {
			if err := syscall.Kill(pid, syscall.SIGTERM); err != nil && !errors.Is(err, syscall.ESRCH) {
				return nil, fmt.Errorf("stop nodehost (process %d): %w", pid, err)
			}
			told = pid
		}
		if time.Now().After(end) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			end = end.Add(stopPatience)
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("stop nodehost (process %d): %w", pid, context.Cause(ctx))
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// Clean removes everything that the state knows of, and says what it leaves where it is, because it is
// somebody else's. The caller has the lock.
func Clean(ctx context.Context, p nodedir.Place, s *nodedir.State, log *slog.Logger) error {
	if s.Joined {
		s.Leaving = true
		if err := p.Save(s); err != nil {
			return err
		}
	}
	var errs []error
	step := func(what string, err error) {
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", what, err))
		}
	}
	if s.Endpoint != "" {
		if err := removeSandboxes(ctx, p, s, log); err != nil {
			log.Warn("not every sandbox could be removed in good order; they are killed", "error", err)
		}
	}
	step("remove the pods' network", network.Remove(ctx, network.Options{Dir: p.CNI(), Existing: s.Settings.CNIConfDir, Before: s.BaseChains}))
	if s.CgroupRoot != "" {
		step("remove the control groups", removeGroups(ctx, s))
	}
	step("unmount the volumes", unmountBelow(p.Kubelet(), p.Containerd(), p.Run))
	step("put settings back", s.RestoreSysctls())
	step("remove the links to logs", removeLinks(kubelet.LinksDir, p.Dir))
	if s.Service {
		step("remove the unit", systemd.Remove(ctx))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("the node is not off this machine yet: %w; run nodehost leave again", err)
	}
	return removeFiles(p, s, log)
}

// removeLinks removes the links in dir that lead below the target.
func removeLinks(dir, target string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	errs := []error{err}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if to, err := os.Readlink(path); err == nil && strings.HasPrefix(to, target+"/") {
			errs = append(errs, os.Remove(path))
		}
	}
	return errors.Join(errs...)
}

// podsSlice is where the kubelet puts pods, if systemd is asked for groups.
const podsSlice = "kubepods.slice"

func removeGroups(ctx context.Context, s *nodedir.State) error {
	paths := []string{s.CgroupRoot}
	asked := cgroup.Detect().Systemd
	if asked {
		paths = append(paths, "/"+podsSlice)
	}
	var errs []error
	for _, path := range paths {
		g, err := cgroup.New(path)
		if err == nil {
			err = g.Remove()
		}
		errs = append(errs, err)
	}
	if asked { // what ran there has been killed; systemd would give it a minute and a half
		errs = append(errs, systemd.StopSlice(ctx, podsSlice))
	}
	return errors.Join(errs...)
}

// Containerd is the node's, without what only containers that are made need.
func Containerd(p nodedir.Place, s *nodedir.State, log *slog.Logger) *cri.Containerd {
	return &cri.Containerd{
		Config: cri.Config{
			Root: p.Containerd(), State: p.RunState(), Socket: p.Socket(),
			CNIConfDir: filepath.Join(p.CNI(), "net.d"), CNIBinDir: filepath.Join(p.CNI(), "bin"),
			RegistryDir:         p.Registries(),
			SystemdCgroup:       cgroup.Detect().Systemd,
			RestrictOOMScoreAdj: !canRaiseOOMScore(),
		},
		Log: filepath.Join(p.Logs(), "containerd.log"),
		Place: func(pid int) error {
			// Shims stay where containerd is: what leaves removes the group, and them with it.
			g, err := cgroup.New(s.CgroupRoot + "/runtime")
			if err != nil {
				return err
			}
			return g.Add(pid)
		},
		Events: log,
	}
}
