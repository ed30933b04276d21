package scheduler

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/pflag"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/cmd/kube-scheduler/app/options"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/validation"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins"
)

// Check says what kube-scheduler would refuse of a KubeSchedulerConfiguration in YAML at its
// start: it is read and validated by upstream, with what this process adds to it, and every
// plugin it enables or configures has to be one of upstream's. Nil means that it would start.
func Check(ctx context.Context, configuration []byte) error {
	dir, err := os.MkdirTemp("", "scheduler-check-")
	if err != nil {
		return fmt.Errorf("check the scheduler's configuration: %w", err)
	}
	defer os.RemoveAll(dir)
	o := Options{ConfigPath: filepath.Join(dir, "config.yaml"), Config: configuration}
	if _, err := o.writeConfig(ctx); err != nil {
		return err
	}
	c, err := options.LoadConfigFromFile(klog.FromContext(ctx), o.ConfigPath)
	if err != nil {
		return fmt.Errorf("KubeSchedulerConfiguration: %w", err)
	}
	errs := []error{}
	if err := validation.ValidateKubeSchedulerConfiguration(c); err != nil {
		errs = append(errs, err.Errors()...)
	}
	return errors.Join(append(errs, unknownPlugins(c)...)...)
}

// unknownPlugins are the plugins of the profiles that upstream's registry does not have. The
// scheduler itself finds out when it makes its profiles.
func unknownPlugins(c *config.KubeSchedulerConfiguration) (errs []error) {
	registry := plugins.NewInTreeRegistry()
	for i, profile := range c.Profiles {
		names := profile.Plugins.Names()
		for _, p := range profile.PluginConfig {
			names = append(names, p.Name)
		}
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			if _, has := registry[name]; !has {
				errs = append(errs, fmt.Errorf("profiles[%d]: there is no plugin %q", i, name))
			}
		}
	}
	return errs
}

// CheckFlags says what kube-scheduler would refuse of further flags, as far as it reads them.
func CheckFlags(flags []string) error {
	s := options.NewOptions()
	fs := pflag.NewFlagSet("kube-scheduler", pflag.ContinueOnError)
	for _, f := range s.Flags.FlagSets {
		fs.AddFlagSet(f)
	}
	if err := fs.Parse(flags); err != nil {
		return fmt.Errorf("parse kube-scheduler flags: %w", err)
	}
	return nil
}
