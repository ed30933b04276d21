package cluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/client-go/kubernetes"
	"k8s.io/kubernetes/pkg/cluster/ports"
	schedulerconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"

	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/clienttrace"
	"github.com/tabernetes/tabernetes/core/configuration"
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

// runScheduler runs one scheduler after the other, each with the configuration that is in force when it starts.
func (c *Cluster) runScheduler(ctx context.Context) error {
	path, err := c.kubeconfigFor(pki.Scheduler)
	if err != nil {
		return err
	}
	health, err := c.openHealth("kube-scheduler", schedulerconfig.DefaultKubeSchedulerPort)
	if err != nil {
		return err
	}
	var places *listener
	if health.listener != nil {
		places = newListener(health.listener)
		defer places.Close()
	}
	var started chan<- error // of who asked for this one; nil for the first
	for {
		running, stop := context.WithCancel(ctx)
		s, err := c.newScheduler(running, path, health, places)
		if err != nil {
			stop()
			if started != nil {
				started <- err
				started = nil
				// Whoever asked puts the former configuration back, and asks again.
				select {
				case started = <-c.schedulerAgain:
					continue
				case <-ctx.Done():
					return nil
				}
			}
			return err
		}
		c.decisions.Store(s.Decisions())
		if started != nil {
			started <- nil
		} else {
			c.board.post(StepScheduler, StateDone, "")
		}
		done := make(chan error, 1)
		go func() {
			_, g := group.New(running)
			g.Go("schedule", func() error {
				clienttrace.Component(c.config.Trace, "kube-scheduler")
				return s.Run(running)
			})
			done <- g.Wait()
		}()
		select {
		case err := <-done:
			stop()
			return err
		case started = <-c.schedulerAgain:
			stop()
			<-done
		}
	}
}

func (c *Cluster) newScheduler(ctx context.Context, kubeconfig string, health health, places *listener) (*scheduler.Scheduler, error) {
	files := c.configurationInForce()
	flags, err := files.Flags(configuration.SchedulerFlags)
	if err != nil {
		return nil, err
	}
	o := scheduler.Options{
		Kubeconfig: kubeconfig,
		ConfigPath: c.path("scheduler-config.yaml"),
		CA:         c.files.CA,
		HealthCert: health.cert,
		HealthKey:  health.key,
		ExtraArgs:  slices.Concat(flags, c.config.SchedulerArgs),
		Trace:      c.config.Trace,
		Dial:       c.router.DialAsServer,
	}
	if places != nil {
		o.Health = places.share()
	}
	if files.Has(configuration.Scheduler) {
		o.Config = files.In(c.configurationDir(), configuration.Scheduler)
	} else if err := os.Remove(o.ConfigPath); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("remove the scheduler's former configuration: %w", err)
	}
	return scheduler.New(ctx, o)
}
