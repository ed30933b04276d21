package scheduler

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"

	"github.com/spf13/pflag"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/cmd/kube-scheduler/app"
	"k8s.io/kubernetes/cmd/kube-scheduler/app/options"
	"sigs.k8s.io/yaml"

	"github.com/tabernetes/tabernetes/core/beside"
	"github.com/tabernetes/tabernetes/core/scheduler/decision"
	"github.com/tabernetes/tabernetes/core/trace"
)

// Pod is a scheduler that runs in a pod, beside the cluster's own and in the same process.
//
// Upstream's command holds the process that it runs in: it reads its files, listens on its addresses and has
// variables of its own in it. Here all that is somebody else's, so that what reaches there is refused, by name.
type Pod struct {
	// Flags are those of the command line.
	Flags []string
	// Read reads a file of the pod's.
	Read func(name string) ([]byte, error)
	// Listen listens on an address of the pod's.
	Listen func(ctx context.Context, network, address string) (net.Listener, error)
	// Dial dials from the pod; nil where no extender is asked.
	Dial dialFunc
	// Trace is told what is decided, and why; nil for nobody.
	Trace *trace.Bus
	// Kubeconfig is a file with the pod's way to the API server.
	Kubeconfig string
	// CertFile and KeyFile are what it serves with.
	CertFile, KeyFile string
	// Dir is a directory for files of its own.
	Dir string
}

// podFlags are the flags that reach nothing but the pod.
var podFlags = []string{
	"authentication-skip-lookup", "authentication-tolerate-lookup-failure", "authorization-always-allow-paths",
	"bind-address", "config", "leader-elect", "leader-elect-lease-duration", "leader-elect-renew-deadline", "leader-elect-resource-lock",
	"leader-elect-resource-name", "leader-elect-resource-namespace", "leader-elect-retry-period", "secure-port", "tls-cipher-suites", "tls-min-version", "v",
}

// podConfig is what every pod's configuration has, whatever it says. Profiling would show the whole process.
const podConfig = `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
clientConnection:
  kubeconfig: %q
enableProfiling: false
enableContentionProfiling: false
`

// Run schedules until ctx is done. It logs to the logger of ctx what upstream logs by context. verbose is told
// the level of --v first.
func (o Pod) Run(ctx context.Context, verbose func(level string) error) error {
	s, err := o.options()
	if err != nil {
		return err
	}
	fs := pflag.NewFlagSet("kube-scheduler", pflag.ContinueOnError)
	for _, f := range s.Flags.FlagSets {
		fs.AddFlagSet(f)
	}
	if err := fs.Parse(o.Flags); err != nil {
		return err
	}
	if err := beside.OnlyFlags(fs, podFlags); err != nil {
		return err
	}
	if err := verbose(fs.Lookup("v").Value.String()); err != nil {
		return fmt.Errorf("--v: %w", err)
	}
	ways, err := o.configure(ctx, s)
	if err != nil {
		return err
	}
	defer ways.Close()
	s.SecureServing.ServerCert.CertKey.CertFile, s.SecureServing.ServerCert.CertKey.KeyFile = o.CertFile, o.KeyFile
	s.Authentication.RemoteKubeConfigFile, s.Authorization.RemoteKubeConfigFile = o.Kubeconfig, o.Kubeconfig
	if port := s.SecureServing.BindPort; port != 0 {
		at := net.JoinHostPort(s.SecureServing.BindAddress.String(), strconv.Itoa(port))
		l, err := o.Listen(ctx, "tcp", at)
		if err != nil {
			return fmt.Errorf("failed to create listener: %w", err)
		}
		s.SecureServing.Listener = beside.Hold(l)
		defer s.SecureServing.Listener.Close()
	}
	cc, made, err := app.Setup(ctx, s)
	if err != nil {
		return fmt.Errorf("configure kube-scheduler: %w", err)
	}
	ways.named(made)
	if o.Trace != nil {
		if _, err := decision.Watch(made, o.Trace); err != nil {
			return fmt.Errorf("trace kube-scheduler: %w", err)
		}
	}
	if err := runLed(ctx, cc, made); err != nil && ctx.Err() == nil {
		return fmt.Errorf("run kube-scheduler: %w", err)
	}
	return nil
}

// options are upstream's, with versions and feature gates of their own: those of the process stay as they are.
func (o Pod) options() (*options.Options, error) {
	registry, err := beside.Gates()
	if err != nil {
		return nil, err
	}
	if err := registry.Set(); err != nil { // before upstream does, with a warning
		return nil, fmt.Errorf("set feature gates: %w", err)
	}
	return options.NewOptionsWithComponentGlobalsRegistry(registry), nil
}

// configure writes the configuration that the pod names, or an empty one, with what every pod's has.
func (o Pod) configure(ctx context.Context, s *options.Options) (ways *extenders, err error) {
	var theirs map[string]any
	if s.ConfigFile != "" {
		text, err := o.Read(s.ConfigFile)
		if err != nil {
			return nil, err
		}
		if err := yaml.Unmarshal(text, &theirs); err != nil {
			return nil, fmt.Errorf("%s: %w", s.ConfigFile, err)
		}
		if client, _ := theirs["clientConnection"].(map[string]any); client["kubeconfig"] != nil && client["kubeconfig"] != "" {
			return nil, fmt.Errorf("%s: clientConnection.kubeconfig: a scheduler in a pod uses the pod's ServiceAccount here; leave it out", s.ConfigFile)
		}
		if ways, err = (network{o.Dial, o.Read}).takeOver(ctx, theirs); err != nil {
			return nil, fmt.Errorf("%s: %w", s.ConfigFile, err)
		}
	}
	defer func() {
		if err != nil {
			ways.Close()
		}
	}()
	text, err := yaml.Marshal(theirs)
	if err != nil {
		return nil, err
	}
	merged, err := merge(text, fmt.Appendf(nil, podConfig, o.Kubeconfig))
	if err != nil {
		return nil, err
	}
	file := filepath.Join(o.Dir, "config.yaml")
	if err := os.WriteFile(file, merged, 0o600); err != nil {
		return nil, fmt.Errorf("write the configuration: %w", err)
	}
	s.ConfigFile = file
	c, err := options.LoadConfigFromFile(klog.FromContext(ctx), file)
	if err != nil {
		return nil, fmt.Errorf("KubeSchedulerConfiguration: %w", err)
	}
	return ways, errors.Join(unknownPlugins(c)...)
}
