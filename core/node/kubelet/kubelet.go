package kubelet

import (
	"context"
	"fmt"
	"net"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	kubeletapp "k8s.io/kubernetes/cmd/kubelet/app"
	"k8s.io/kubernetes/cmd/kubelet/app/options"
	"k8s.io/kubernetes/pkg/capabilities"
	upstream "k8s.io/kubernetes/pkg/kubelet"
	kubeletutil "k8s.io/kubernetes/pkg/kubelet/util"
	"k8s.io/kubernetes/pkg/util/oom"

	"github.com/tabernetes/tabernetes/core/node/critrace"
	"github.com/tabernetes/tabernetes/core/node/hardware"
	"github.com/tabernetes/tabernetes/core/node/hostutil"
	"github.com/tabernetes/tabernetes/core/node/osfs"
	"github.com/tabernetes/tabernetes/core/node/podtrace"
	"github.com/tabernetes/tabernetes/core/node/subpath"
)

// Start assembles the kubelet and starts it. It returns once everything runs;
// nothing of it has to be ready. There is no way to stop a kubelet: it ends with
// the process, and its address stays bound. ctx ends what upstream ends by it.
func Start(ctx context.Context, o Options) (err error) {
	begin(ctx, o.Name, o.Logind, func(ctx context.Context) { err = start(ctx, o) })
	return err
}

func start(ctx context.Context, o Options) error {
	ctx = klog.NewContext(ctx, klog.FromContext(ctx).WithValues("node", o.Name))
	if err := tolerateUserNamespace(); err != nil {
		return err
	}
	if err := writeFiles(o); err != nil {
		return err
	}
	s, err := configuration(o)
	if err != nil {
		return err
	}
	mayUse, _ := o.Runtime.(hardware.PodLister)
	runtime := o.Runtime
	tap := podtrace.New(o.Trace, o.Name)
	o.Runtime = critrace.Wrap(o.Runtime, critrace.Options{
		Bus: o.Trace, Node: o.Name, By: critrace.Function, Cause: tap.Cause, Changed: tap.Changed,
	})
	deps, source, err := dependencies(ctx, o, s, tap, mayUse)
	if err != nil {
		return err
	}
	deps.RemoteRuntimeService = standIns{o.Runtime, runtime, deps.Recorder}
	capabilities.Initialize(capabilities.Capabilities{AllowPrivileged: true})
	kl, err := newKubelet(ctx, o, s, deps)
	if err != nil {
		return fmt.Errorf("make the kubelet: %w", err)
	}
	pods := knownPods{kl, o.Runtime}
	kl.AddPodSyncHandler(newSyncEcho(pods))
	source.kubelet.Store(kl)
	kl.BirthCry()
	kl.StartGarbageCollection(ctx)
	go kl.Run(ctx, tap.Updates(ctx, deps.PodConfig.Updates()))
	go kl.ListenAndServe(ctx, &s.KubeletConfiguration, deps.TLSConfig, deps.Auth, deps.TracerProvider)
	go relistOnEvents(ctx, o.Runtime, pods)
	return nil
}

// dependencies answers what the kubelet asks of its surroundings.
func dependencies(ctx context.Context, o Options, s *options.KubeletServer, tap *podtrace.Tap, mayUse hardware.PodLister) (*upstream.Dependencies, *podSource, error) {
	o.ClientConfig = rest.CopyConfig(o.ClientConfig)
	o.ClientConfig.Wrap(tap.Transport)
	c, err := newClients(o.ClientConfig, s)
	if err != nil {
		return nil, nil, err
	}
	auth, reloadCA, err := kubeletapp.BuildAuth(types.NodeName(o.Name), c.api, s.KubeletConfiguration)
	if err != nil {
		return nil, nil, fmt.Errorf("build the kubelet's authentication: %w", err)
	}
	reloadCA(ctx.Done())
	tlsOptions, err := kubeletapp.InitializeTLS(ctx, &s.KubeletFlags, &s.KubeletConfiguration)
	if err != nil {
		return nil, nil, fmt.Errorf("set up the kubelet's TLS: %w", err)
	}
	simulated, manager, err := machine(o, s, mayUse)
	if err != nil {
		return nil, nil, err
	}
	recorder := tap.Recorder(newRecorder(ctx, c.events, o.Name))
	pods := tap.Latency(kubeletutil.NewPodStartupLatencyTracker())
	source := &podSource{}
	return &upstream.Dependencies{
		Auth:                      tap.Auth(auth),
		CAdvisorInterface:         simulated,
		ContainerManager:          tap.ContainerManager(manager),
		EventClient:               c.events,
		HeartbeatClient:           c.heartbeat,
		KubeClient:                c.api,
		Mounter:                   o.Mounts,
		HostUtil:                  hostutil.HostUtil{},
		Subpather:                 subpath.Subpather{},
		OOMAdjuster:               oom.NewFakeOOMAdjuster(),
		OSInterface:               osfs.New(o.RootDir, o.Name),
		PodConfig:                 source.config(ctx, c.api, o.Name, &s.KubeletConfiguration, recorder, pods, o.Logind.Booted()),
		Recorder:                  recorder,
		TracerProvider:            tap.TracerProvider(),
		VolumePlugins:             tap.VolumePlugins(volumePlugins(o.RootDir)),
		TLSOptions:                tlsOptions,
		RemoteRuntimeService:      o.Runtime,
		RemoteImageService:        o.Runtime,
		PodStartupLatencyTracker:  pods,
		NodeStartupLatencyTracker: readyTracker{kubeletutil.NewNodeStartupLatencyTracker(), o.OnReady},
	}, source, nil
}

// readyTracker hears from the kubelet that the API took a status with Ready=True.
type readyTracker struct {
	kubeletutil.NodeStartupLatencyTracker
	onReady func()
}

func (t readyTracker) RecordNodeReady() {
	t.NodeStartupLatencyTracker.RecordNodeReady()
	t.onReady()
}

// newKubelet passes the configuration on, argument by argument, as
// createAndInitKubelet of cmd/kubelet/app/server.go does.
func newKubelet(ctx context.Context, o Options, s *options.KubeletServer, deps *upstream.Dependencies) (*upstream.Kubelet, error) {
	return upstream.NewMainKubelet(ctx,
		&s.KubeletConfiguration,
		deps,
		&s.ContainerRuntimeOptions,
		o.Name,
		types.NodeName(o.Name),
		[]net.IP{net.IP(o.IP.AsSlice())},
		s.ProviderID,
		s.CloudProvider,
		s.CertDirectory,
		s.RootDirectory,
		s.PodLogsDir,
		s.ImageCredentialProviderConfigPath,
		s.ImageCredentialProviderBinDir,
		s.RegisterNode,
		s.RegisterWithTaints,
		s.AllowedUnsafeSysctls,
		s.ExperimentalMounterPath,
		s.KernelMemcgNotification,
		s.ExperimentalNodeAllocatableIgnoreEvictionThreshold,
		s.MinimumGCAge,
		s.MaxPerPodContainerCount,
		s.MaxContainerCount,
		s.KubeletFlags.NodeLabels,
		s.NodeStatusMaxImages,
		s.KubeletFlags.SeccompDefault || s.KubeletConfiguration.SeccompDefault)
}
