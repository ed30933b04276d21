package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"k8s.io/klog/v2"

	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/configuration"
	"github.com/tabernetes/tabernetes/core/node"
	"github.com/tabernetes/tabernetes/core/scheduler"
)

// Configured is how a configuration came into force.
type Configured struct {
	// Changed are the files that differ from those before.
	Changed []string
	// Reloaded are those that upstream read anew while it ran; for all others the components in Restarted were.
	Reloaded, Restarted []string
	// NewNodes are those that count for in-tab nodes which start from now on: the others keep what they have.
	NewNodes []string
	// AtStart is set if it is in force only when the cluster starts again: this one never served, or has ended.
	AtStart bool
}

// Configuration is what is in force.
func (c *Cluster) Configuration() configuration.Files {
	c.configuring.Lock()
	defer c.configuring.Unlock()
	return c.kept.Now.Clone()
}

// ConfigurationsBefore is how many there are that RestoreConfiguration goes back to.
func (c *Cluster) ConfigurationsBefore() int {
	c.configuring.Lock()
	defer c.configuring.Unlock()
	return len(c.kept.Before)
}

// configurationInForce is that for the components themselves, which run while one is put into force: whoever changes it
// has told them to look, and waits.
func (c *Cluster) configurationInForce() configuration.Files { return *c.inForce.Load() }

func (c *Cluster) configurationDir() string  { return c.path("configuration") }
func (c *Cluster) keptConfiguration() string { return ConfigurationFile(c.config.Dir) }

// ConfigurationFile is where a cluster whose directory is dir keeps its configuration and those before it.
func ConfigurationFile(dir string) string { return filepath.Join(dir, "configuration.json") }

// takeUpConfiguration is what the cluster starts with: what the options say, or what was kept.
func (c *Cluster) takeUpConfiguration() error {
	kept, err := configuration.Load(c.keptConfiguration())
	if given := c.config.Configuration; given != nil {
		if err != nil {
			klog.ErrorS(err, "What was kept is left for the configuration that was given")
			kept = configuration.Kept{}
		}
		err = given.Check()
		if len(given.Changed(kept.Now)) > 0 {
			kept = kept.Next(given)
		}
		if err == nil && (len(given) > 0 || len(kept.Before) > 0) {
			err = c.keep(kept)
		}
	}
	if err != nil {
		return err
	}
	c.setKept(kept)
	return nil
}

// keep has it outlive the process, before it is in force: what is stored encrypted is lost without its keys.
func (c *Cluster) keep(k configuration.Kept) error {
	if err := k.Save(c.keptConfiguration()); err != nil || c.config.KeepConfiguration == nil {
		return err
	}
	return c.config.KeepConfiguration(c.keptConfiguration())
}

func (c *Cluster) setKept(k configuration.Kept) {
	c.kept = k
	c.inForce.Store(&k.Now)
}

// checkAtStart holds what the cluster starts with against upstream, so that the error says which file it is about.
func (c *Cluster) checkAtStart(ctx context.Context) error {
	if len(c.kept.Now) == 0 {
		return nil
	}
	if err := c.CheckConfiguration(ctx, c.kept.Now); err != nil {
		return fmt.Errorf("start with this configuration: %w (a directory without files in its place starts with upstream's defaults)", err)
	}
	return nil
}

// CheckConfiguration says what upstream would refuse of the files, by its own loaders and validators; nil if nothing.
// What runs is not touched. The cluster's store has to be open (StepStore).
func (c *Cluster) CheckConfiguration(ctx context.Context, f configuration.Files) error {
	if err := f.Check(); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "configuration-check-")
	if err != nil {
		return fmt.Errorf("check the configuration: %w", err)
	}
	defer os.RemoveAll(dir)
	if err := f.WriteTo(dir); err != nil {
		return err
	}
	o, err := c.apiserverOptions(f, dir)
	if err != nil {
		return err
	}
	errs := []error{o.Check(ctx), checkOutside(f)}
	if f.Has(configuration.Scheduler) {
		errs = append(errs, scheduler.Check(ctx, f.In(dir, configuration.Scheduler)))
	}
	if flags, err := f.Flags(configuration.SchedulerFlags); err == nil {
		errs = append(errs, scheduler.CheckFlags(flags))
	}
	if f.Has(configuration.Kubelet) {
		for _, of := range c.nodeSizes() { // all of which start with it, if the cluster goes on from its store
			if err := node.CheckKubelet(f[configuration.Kubelet], of); err != nil {
				errs = append(errs, err)
				break
			}
		}
	}
	if err := errors.Join(errs...); err != nil {
		return &inFiles{err, dir + string(filepath.Separator)}
	}
	return nil
}

// inFiles says what is wrong with files by their names: where they were laid out to be read is gone by then.
type inFiles struct {
	err error
	dir string
}

func (e *inFiles) Error() string { return strings.ReplaceAll(e.err.Error(), e.dir, "") }
func (e *inFiles) Unwrap() error { return e.err }

// Configure checks the files and puts them into force: by upstream's reload where it has one, else by a restart of the
// component in place. If anything refuses them the old ones stay, or are put back, and the error says what.
func (c *Cluster) Configure(ctx context.Context, f configuration.Files) (Configured, error) {
	c.configuring.Lock()
	defer c.configuring.Unlock()
	if f = f.Clone(); f == nil {
		f = configuration.Files{}
	}
	if err := c.CheckConfiguration(ctx, f); err != nil {
		return Configured{}, fmt.Errorf("the configuration is refused, and the old one stays: %w", err)
	}
	if names := f.AtStart(c.kept.Now); len(names) > 0 {
		return Configured{}, fmt.Errorf("the configuration is refused, and the old one stays: %v takes effect only when a cluster starts; start one with it", names)
	}
	return c.putIntoForce(ctx, c.kept.Next(f))
}

// RestoreConfiguration puts the configuration before this one into force again, and with another call the one before
// that. It needs nobody to get in: it is for when nobody does.
func (c *Cluster) RestoreConfiguration(ctx context.Context) (Configured, error) {
	c.configuring.Lock()
	defer c.configuring.Unlock()
	back, ok := c.kept.Back()
	if !ok {
		return Configured{}, errors.New("there is no configuration before this one")
	}
	if !c.serves() {
		did := Configured{Changed: back.Now.Changed(c.kept.Now), AtStart: true}
		if err := c.keep(back); err != nil {
			return Configured{}, err
		}
		c.kept = back // and not in force: who starts now goes on as it began
		return did, nil
	}
	return c.putIntoForce(ctx, back)
}

// serves is whether the apiserver was ready once and has not ended: what starts never to be ready cannot be told to
// start anew, and neither can what is gone.
func (c *Cluster) serves() bool {
	select {
	case <-c.over:
		return false
	default:
	}
	select {
	case <-c.Done(StepAPIServer):
		return true
	default:
		return false
	}
}

// backPatience bounds how long it may take to put the old configuration back.
const backPatience = 2 * time.Minute

// putIntoForce is called with configuring held.
func (c *Cluster) putIntoForce(ctx context.Context, next configuration.Kept) (Configured, error) {
	did := Configured{Changed: next.Now.Changed(c.kept.Now)}
	if len(did.Changed) == 0 {
		return did, nil
	}
	was := c.kept
	if err := c.keep(next); err != nil {
		return Configured{}, fmt.Errorf("%w; the old one stays", errors.Join(err, was.Save(c.keptConfiguration())))
	}
	err := c.change(ctx, was, next, &did)
	if err == nil {
		return did, nil
	}
	// Not by ctx, which may be why it failed.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), backPatience)
	defer cancel()
	if back := errors.Join(c.keep(was), c.change(ctx, next, was, &Configured{Changed: did.Changed})); back != nil {
		return Configured{}, fmt.Errorf("put the configuration into force: %w; and the old one could not be put back: %w", err, back)
	}
	return Configured{}, fmt.Errorf("put the configuration into force: %w; the old one is in force again", err)
}

func (c *Cluster) change(ctx context.Context, was, next configuration.Kept, did *Configured) error {
	reloads := apiserver.WatchReloads(c.configurationDir())
	c.setKept(next)
	if err := next.Now.WriteTo(c.configurationDir()); err != nil {
		return err
	}
	server, scheduler := []string{}, false
	for _, name := range did.Changed {
		switch name {
		case configuration.Scheduler, configuration.SchedulerFlags:
			scheduler = true
		case configuration.Kubelet:
			did.NewNodes = append(did.NewNodes, name)
		case configuration.Outside:
			c.outside.keepOnly(namedOutside(next.Now))
			did.Reloaded = append(did.Reloaded, name)
		default:
			server = append(server, name)
		}
	}
	if len(server) > 0 {
		reloadable := !slices.ContainsFunc(server, func(name string) bool { return !was.Now.Has(name) || !next.Now.Has(name) })
		if reloadable && reloads.Await(ctx, server) {
			did.Reloaded = append(did.Reloaded, server...)
		} else {
			if err := c.again(ctx, c.apiserverAgain); err != nil {
				return fmt.Errorf("kube-apiserver: %w", err)
			}
			did.Restarted = append(did.Restarted, "kube-apiserver")
		}
	}
	if scheduler {
		if err := c.again(ctx, c.schedulerAgain); err != nil {
			return fmt.Errorf("kube-scheduler: %w", err)
		}
		did.Restarted = append(did.Restarted, "kube-scheduler")
	}
	return nil
}

// again has a component run anew and waits until it does.
func (c *Cluster) again(ctx context.Context, component chan<- chan<- error) error {
	started := make(chan error, 1)
	select {
	case component <- started:
	case <-c.over:
		return errClusterOver
	case <-ctx.Done():
		return fmt.Errorf("wait for it to be told to start anew: %w", context.Cause(ctx))
	}
	select {
	case err := <-started:
		return err
	case <-c.over:
		return errClusterOver
	case <-ctx.Done():
		return fmt.Errorf("wait for it to start anew: %w", context.Cause(ctx))
	}
}

var errClusterOver = errors.New("the cluster has ended")
