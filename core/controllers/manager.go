package controllers

import (
	"context"
	"fmt"
	"net"
	"slices"
	_ "time/tzdata" // as upstream's command has it, for CronJobs: neither the tab nor every machine has a database of time zones

	"github.com/spf13/pflag"
	logsapi "k8s.io/component-base/logs/api/v1"
	"k8s.io/kubernetes/cmd/kube-controller-manager/app"
	"k8s.io/kubernetes/cmd/kube-controller-manager/app/config"
	"k8s.io/kubernetes/cmd/kube-controller-manager/app/options"

	_ "github.com/tabernetes/tabernetes/core/version" // the components report it
)

// Options are what differs between one controller manager of ours and another.
type Options struct {
	// Kubeconfig is the path of the controller manager's own kubeconfig.
	Kubeconfig string
	// ClusterCIDR is cut into one pod CIDR of NodeCIDRMaskSize bits for each node.
	ClusterCIDR      string
	NodeCIDRMaskSize int
	ServiceCIDR      string
	// FlexVolumeDir is where FlexVolume drivers would be; it is made if missing, inside the
	// cluster's own directory, so that nothing of the machine is touched.
	FlexVolumeDir string
	// CA and CAKey sign certificate signing requests; CA goes into every namespace's
	// kube-root-ca.crt. ServiceAccountKey signs the tokens of service accounts.
	CA, CAKey, ServiceAccountKey string
	// Health is where /healthz and, for who may read it, /metrics are served over TLS; nil for nowhere.
	// HealthCert and HealthKey are what it serves with.
	Health                net.Listener
	HealthCert, HealthKey string
	// ExtraArgs are further kube-controller-manager flags; they come last and win.
	ExtraArgs []string
}

// Args are the kube-controller-manager flags that the options stand for, in kubeadm's manner.
func (o *Options) Args() []string {
	return slices.Concat([]string{
		"--allocate-node-cidrs=true",
		// Who asks its server for more than its health is asked for a certificate of the cluster's.
		// That one CA is known: nothing has to be looked up, and followed, in the cluster.
		"--authentication-kubeconfig=" + o.Kubeconfig,
		"--authentication-skip-lookup=true",
		"--authorization-kubeconfig=" + o.Kubeconfig,
		"--client-ca-file=" + o.CA,
		"--cluster-cidr=" + o.ClusterCIDR,
		"--cluster-signing-cert-file=" + o.CA,
		"--cluster-signing-key-file=" + o.CAKey,
		// Controllers of one process start at once: there is no crowd to spread out.
		"--controller-start-interval=0s",
		// The default controllers, and those that bootstrap tokens need, as kubeadm has it.
		"--controllers=*,bootstrap-signer-controller,token-cleaner-controller",
		"--flex-volume-plugin-dir=" + o.FlexVolumeDir,
		// The apiserver is in the same process and has its own fairness: client-side rate
		// limits made for a network would only slow a 100-pod start down.
		"--kube-api-burst=4000",
		"--kube-api-qps=2000",
		"--kubeconfig=" + o.Kubeconfig,
		"--leader-elect=false",
		fmt.Sprintf("--node-cidr-mask-size=%d", o.NodeCIDRMaskSize),
		"--root-ca-file=" + o.CA,
		// Its server has a listener that was opened for it, or there is none.
		"--secure-port=0",
		"--service-account-private-key-file=" + o.ServiceAccountKey,
		"--service-cluster-ip-range=" + o.ServiceCIDR,
		"--tls-cert-file=" + o.HealthCert,
		"--tls-private-key-file=" + o.HealthKey,
		"--use-service-account-credentials=true",
	}, o.ExtraArgs)
}

// Manager is a configured controller manager, ready to run once.
type Manager struct {
	config *config.CompletedConfig
}

// New validates the options as the upstream command would its flags.
func New(ctx context.Context, o Options) (*Manager, error) {
	s, err := options.NewKubeControllerManagerOptions()
	if err != nil {
		return nil, fmt.Errorf("default controller manager options: %w", err)
	}
	known, off, aliases := app.KnownControllers(), app.ControllersDisabledByDefault(), app.ControllerAliases()
	fs := pflag.NewFlagSet("kube-controller-manager", pflag.ContinueOnError)
	sets := s.Flags(known, off, aliases)
	for _, f := range sets.FlagSets {
		fs.AddFlagSet(f)
	}
	if err := fs.Parse(o.Args()); err != nil {
		return nil, fmt.Errorf("parse kube-controller-manager flags: %w", err)
	}
	s.ParsedFlags = &sets
	s.SecureServing.Listener = o.Health
	if err := s.ComponentGlobalsRegistry.Set(); err != nil {
		return nil, fmt.Errorf("set feature gates: %w", err)
	}
	if err := logsapi.ValidateAndApply(s.Logs, nil); err != nil {
		return nil, fmt.Errorf("apply logging options: %w", err)
	}
	c, err := s.Config(ctx, known, off, aliases)
	if err != nil {
		return nil, fmt.Errorf("configure kube-controller-manager: %w", err)
	}
	return &Manager{config: c.Complete()}, nil
}

// Run runs the controllers until ctx is done; the apiserver has to be up within 10 seconds.
func (m *Manager) Run(ctx context.Context) error {
	if err := app.Run(ctx, m.config); err != nil && ctx.Err() == nil {
		return fmt.Errorf("run kube-controller-manager: %w", err)
	}
	return nil
}
