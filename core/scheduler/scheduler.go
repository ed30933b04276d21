package scheduler

import (
	"context"
	"fmt"
	"maps"
	"net"
	"os"
	"slices"

	"github.com/spf13/pflag"
	logsapi "k8s.io/component-base/logs/api/v1"
	"k8s.io/kubernetes/cmd/kube-scheduler/app"
	"k8s.io/kubernetes/cmd/kube-scheduler/app/config"
	"k8s.io/kubernetes/cmd/kube-scheduler/app/options"
	"k8s.io/kubernetes/pkg/scheduler"
	"sigs.k8s.io/yaml"

	"github.com/tabernetes/tabernetes/core/scheduler/decision"
	"github.com/tabernetes/tabernetes/core/trace"
	_ "github.com/tabernetes/tabernetes/core/version" // the components report it
)

// Options are what differs between one scheduler of ours and another.
type Options struct {
	// Kubeconfig is the path of the scheduler's own kubeconfig.
	Kubeconfig string
	// ConfigPath is where the scheduler's configuration file is; it is written if missing.
	ConfigPath string
	// Config is a KubeSchedulerConfiguration in YAML, or the Policy that came before it, which
	// becomes one. It is written there, with what this process must have: its client's kubeconfig, and
	// no leader election. Default: none.
	Config []byte
	// CA signs the client certificates of who may read more than the scheduler's health.
	CA string
	// Health is where /healthz and, for who may read it, /metrics are served over TLS; nil for nowhere.
	// HealthCert and HealthKey are what it serves with.
	Health                net.Listener
	HealthCert, HealthKey string
	// Dial is how extenders are reached. Default: as upstream does, which knows no Services.
	Dial dialFunc
	// ExtraArgs are further kube-scheduler flags; they come last and win.
	ExtraArgs []string
	// Plugins are scheduler plugins from outside upstream's tree.
	Plugins []app.Option
	// Trace is told what is decided, and why. Default: nobody is, and no decision is kept.
	Trace *trace.Bus
}

// defaultConfig leaves profiles to upstream. Client-side rate limits made for a network would only slow a 100-pod start down
// within one process. Its contention profiling would be the whole process's, and note the stack of each goroutine that
// has waited.
const defaultConfig = `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
clientConnection:
  kubeconfig: %q
  contentType: application/vnd.kubernetes.protobuf
  qps: 2000
  burst: 4000
enableContentionProfiling: false
leaderElection:
  leaderElect: false
`

// writeConfig writes the file, with the extenders of the configuration led over o.Dial.
func (o *Options) writeConfig(ctx context.Context) (*extenders, error) {
	ours := fmt.Appendf(nil, defaultConfig, o.Kubeconfig)
	if len(o.Config) == 0 {
		if _, err := os.Stat(o.ConfigPath); err == nil {
			return nil, nil
		}
		return nil, os.WriteFile(o.ConfigPath, ours, 0o600)
	}
	theirs, err := modern(o.Config)
	if err != nil {
		return nil, err
	}
	var ways *extenders
	if o.Dial != nil {
		var config map[string]any
		if err := yaml.Unmarshal(theirs, &config); err != nil {
			return nil, fmt.Errorf("KubeSchedulerConfiguration: %w", err)
		}
		if ways, err = (network{o.Dial, os.ReadFile}).takeOver(ctx, config); err != nil {
			return nil, err
		}
		if ways != nil {
			if theirs, err = yaml.Marshal(config); err != nil {
				ways.Close()
				return nil, err
			}
		}
	}
	merged, err := merge(theirs, ours)
	if err == nil {
		err = os.WriteFile(o.ConfigPath, merged, 0o600)
	}
	if err != nil {
		ways.Close()
		return nil, err
	}
	return ways, nil
}

// merge puts the fields of over, and those below its maps, into base. Both are YAML.
func merge(base, over []byte) ([]byte, error) {
	var a, b map[string]any
	if err := yaml.Unmarshal(base, &a); err != nil {
		return nil, fmt.Errorf("KubeSchedulerConfiguration: %w", err)
	}
	if err := yaml.Unmarshal(over, &b); err != nil {
		return nil, err
	}
	if a == nil {
		a = map[string]any{}
	}
	for key, value := range b {
		below, isMap := value.(map[string]any)
		have, has := a[key].(map[string]any)
		switch {
		case key == "apiVersion" || key == "kind":
			if a[key] == nil {
				a[key] = value
			}
		case isMap && has:
			maps.Copy(have, below)
		default:
			a[key] = value
		}
	}
	return yaml.Marshal(a)
}

// Args are the kube-scheduler flags that the options stand for.
func (o *Options) Args() []string {
	return slices.Concat([]string{
		// As the controller manager's server has it.
		"--authentication-kubeconfig=" + o.Kubeconfig,
		"--authentication-skip-lookup=true",
		"--authorization-kubeconfig=" + o.Kubeconfig,
		"--client-ca-file=" + o.CA,
		"--config=" + o.ConfigPath,
		// Its server has a listener that was opened for it, or there is none.
		"--secure-port=0",
		"--tls-cert-file=" + o.HealthCert,
		"--tls-private-key-file=" + o.HealthKey,
	}, o.ExtraArgs)
}

// Scheduler is a configured scheduler, ready to run once.
type Scheduler struct {
	config    *config.CompletedConfig
	scheduler *scheduler.Scheduler
	decisions *decision.Decisions // nil without a trace
	ways      *extenders          // nil without extenders
}

// Decisions answers what was decided of a pod; nil without a trace.
func (s *Scheduler) Decisions() *decision.Decisions { return s.decisions }

// New validates the options as the upstream command would its flags.
func New(ctx context.Context, o Options) (made *Scheduler, err error) {
	ways, err := o.writeConfig(ctx)
	if err != nil {
		return nil, fmt.Errorf("write the scheduler's configuration: %w", err)
	}
	defer func() {
		if err != nil {
			ways.Close()
		}
	}()
	s := options.NewOptions()
	fs := pflag.NewFlagSet("kube-scheduler", pflag.ContinueOnError)
	for _, f := range s.Flags.FlagSets {
		fs.AddFlagSet(f)
	}
	if err := fs.Parse(o.Args()); err != nil {
		return nil, fmt.Errorf("parse kube-scheduler flags: %w", err)
	}
	s.SecureServing.Listener = o.Health
	if err := s.ComponentGlobalsRegistry.Set(); err != nil {
		return nil, fmt.Errorf("set feature gates: %w", err)
	}
	if err := logsapi.ValidateAndApply(s.Logs, nil); err != nil {
		return nil, fmt.Errorf("apply logging options: %w", err)
	}
	cc, sched, err := app.Setup(ctx, s, o.Plugins...)
	if err != nil {
		return nil, fmt.Errorf("configure kube-scheduler: %w", err)
	}
	ways.named(sched)
	ways.unsaid(&cc.ComponentConfig)
	made = &Scheduler{config: cc, scheduler: sched, ways: ways}
	if o.Trace != nil {
		if made.decisions, err = decision.Watch(sched, o.Trace); err != nil {
			return nil, fmt.Errorf("trace kube-scheduler: %w", err)
		}
	}
	return made, nil
}

// Run schedules until ctx is done. One that was made afterwards may be run then.
func (s *Scheduler) Run(ctx context.Context) error {
	defer s.ways.Close()
	if err := runOwn(ctx, s.config, s.scheduler); err != nil && ctx.Err() == nil {
		return fmt.Errorf("run kube-scheduler: %w", err)
	}
	return nil
}
