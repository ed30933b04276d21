package cluster

import (
	"context"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/client-go/kubernetes"
	"k8s.io/kubernetes/pkg/cluster/ports"
	schedulerconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"

	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/clienttrace"
	"github.com/tabernetes/tabernetes/core/confine"
	"github.com/tabernetes/tabernetes/core/controllers"
	"github.com/tabernetes/tabernetes/core/group"
	"github.com/tabernetes/tabernetes/core/inprocess"
	"github.com/tabernetes/tabernetes/core/kubeconfig"
	"github.com/tabernetes/tabernetes/core/pki"
	"github.com/tabernetes/tabernetes/core/scheduler"
)

// startOthers waits for the apiserver and starts what talks to it.
func (c *Cluster) startOthers(ctx context.Context, g *group.Group, api *apiserver.Server) error {
	if err := awaitReadyz(ctx, api); err != nil {
		c.board.post(StepAPIServer, StateFailed, err.Error())
		return err
	}
	c.board.post(StepAPIServer, StateDone, "")

	for _, start := range []struct {
		step Step
		name string
		run  func(context.Context) error
	}{
		{StepScheduler, "kube-scheduler", c.runScheduler},
		{StepControllers, "kube-controller-manager", c.runControllers},
	} {
		c.board.post(start.step, StateStarted, "")
		g.Go(start.name, func() error {
			clienttrace.Component(c.config.Trace, start.name)
			err := start.run(ctx)
			if err != nil {
				c.board.post(start.step, StateFailed, err.Error())
			}
			return err
		})
	}
	g.Go("metrics of nodes and pods", func() error { return c.runMetrics(ctx) })
	return c.startNodes(ctx, g)
}

// readyzInterval is how often the apiserver is asked whether it is ready. There is no other way to
// learn that all post-start hooks are through and all informers have synced.
const readyzInterval = 50 * time.Millisecond

func awaitReadyz(ctx context.Context, api *apiserver.Server) error {
	client, err := kubernetes.NewForConfig(api.Loopback())
	if err != nil {
		return fmt.Errorf("client for /readyz: %w", err)
	}
	err = wait.PollUntilContextCancel(ctx, readyzInterval, true, func(ctx context.Context) (bool, error) {
		// Without the client's own retries, which wait as long as a server asks for that is
		// not up: a second or more each.
		_, err := client.Discovery().RESTClient().Get().AbsPath("/readyz").MaxRetries(0).DoRaw(ctx)
		return err == nil, nil
	})
	if err != nil {
		return fmt.Errorf("wait for the apiserver to be ready: %w", err)
	}
	return nil
}

// insider is a way to the apiserver that stays in the process and speaks as u, as long as the
// cluster lives.
func (c *Cluster) insider(u user.Info) kubeconfig.Cluster { return at(c.endpoint(u)) }

// endpoint is such a way for somebody who may go before the cluster does.
func (c *Cluster) endpoint(u user.Info) *inprocess.Endpoint {
	name := strings.TrimPrefix(u.GetName(), "system:")
	e := c.inside.Endpoint(strings.ReplaceAll(name, ":", "-"), u)
	switch {
	case strings.HasPrefix(name, "node:"):
		return e.As("kubelet")
	case strings.HasPrefix(name, "kube-"):
		return e.As(name) // users of components are named as these are
	}
	return e
}

func at(e *inprocess.Endpoint) kubeconfig.Cluster {
	return kubeconfig.Cluster{Name: clusterName, Server: e.URL()}
}

// kubeconfigFor writes a component's kubeconfig and returns its path.
func (c *Cluster) kubeconfigFor(u user.Info) (string, error) {
	path := c.path(strings.TrimPrefix(u.GetName(), "system:") + ".conf")
	return path, c.insider(u).Write(path, u.GetName(), pki.Pair{})
}

func (c *Cluster) runControllers(ctx context.Context) error {
	path, err := c.kubeconfigFor(pki.ControllerManager)
	if err != nil {
		return err
	}
	health, err := c.openHealth("kube-controller-manager", ports.KubeControllerManagerPort)
	if err != nil {
		return err
	}
	m, err := controllers.New(ctx, controllers.Options{
		Kubeconfig:        path,
		ClusterCIDR:       confine.PodCIDR,
		NodeCIDRMaskSize:  confine.PodMaskSize,
		ServiceCIDR:       serviceCIDR,
		FlexVolumeDir:     c.path("flexvolume"),
		CA:                c.files.CA,
		CAKey:             c.files.CAKey,
		ServiceAccountKey: c.files.ServiceAccountKey,
		Health:            health.listener,
		HealthCert:        health.cert,
		HealthKey:         health.key,
		ExtraArgs:         c.config.ControllerArgs,
	})
	if err != nil {
		return err
	}
	c.board.post(StepControllers, StateDone, "")
	return m.Run(ctx)
}

func (c *Cluster) runScheduler(ctx context.Context) error {
	path, err := c.kubeconfigFor(pki.Scheduler)
	if err != nil {
		return err
	}
	health, err := c.openHealth("kube-scheduler", schedulerconfig.DefaultKubeSchedulerPort)
	if err != nil {
		return err
	}
	s, err := scheduler.New(ctx, scheduler.Options{
		Kubeconfig: path,
		ConfigPath: c.path("scheduler-config.yaml"),
		Config:     c.config.SchedulerConfig,
		CA:         c.files.CA,
		Health:     health.listener,
		HealthCert: health.cert,
		HealthKey:  health.key,
		ExtraArgs:  c.config.SchedulerArgs,
		Trace:      c.config.Trace,
	})
	if err != nil {
		return err
	}
	c.decisions.Store(s.Decisions())
	c.board.post(StepScheduler, StateDone, "")
	return s.Run(ctx)
}
