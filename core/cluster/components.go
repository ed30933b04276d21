package cluster

import (
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/controllers"
	"github.com/tabernetes/tabernetes/core/pki"
	"github.com/tabernetes/tabernetes/core/scheduler"
)

// startOthers waits for the apiserver and starts what talks to it.
func (c *Cluster) startOthers(ctx context.Context, g *group, api *apiserver.Server) error {
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
			err := start.run(ctx)
			if err != nil {
				c.board.post(start.step, StateFailed, err.Error())
			}
			return err
		})
	}
	return c.startNodes(ctx, g)
}

// readyzInterval is how often /readyz is asked: upstream's one way of telling that all
// post-start hooks are through and all informers have synced. Asked more often, the answers
// (each fails with a stack trace) would take a share of the start themselves.
const readyzInterval = 100 * time.Millisecond

func awaitReadyz(ctx context.Context, api *apiserver.Server) error {
	client, err := kubernetes.NewForConfig(api.Loopback())
	if err != nil {
		return fmt.Errorf("client for /readyz: %w", err)
	}
	err = wait.PollUntilContextCancel(ctx, readyzInterval, true, func(ctx context.Context) (bool, error) {
		_, err := client.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(ctx)
		return err == nil, nil
	})
	if err != nil {
		return fmt.Errorf("wait for the apiserver to be ready: %w", err)
	}
	return nil
}

// kubeconfigFor writes a component's kubeconfig and returns its path.
func (c *Cluster) kubeconfigFor(user string, sign func() (pki.Pair, error)) (string, error) {
	pair, err := sign()
	if err != nil {
		return "", err
	}
	path := c.path(user + ".conf")
	return path, c.access.Write(path, user, pair)
}

func (c *Cluster) runControllers(ctx context.Context) error {
	path, err := c.kubeconfigFor("controller-manager", c.keys.ControllerManager)
	if err != nil {
		return err
	}
	m, err := controllers.New(ctx, controllers.Options{
		Kubeconfig:        path,
		ClusterCIDR:       clusterCIDR,
		NodeCIDRMaskSize:  nodeCIDRMaskSize,
		ServiceCIDR:       serviceCIDR,
		FlexVolumeDir:     c.path("flexvolume"),
		CA:                c.files.CA,
		CAKey:             c.files.CAKey,
		ServiceAccountKey: c.files.ServiceAccountKey,
		ExtraArgs:         c.config.ControllerArgs,
	})
	if err != nil {
		return err
	}
	c.board.post(StepControllers, StateDone, "")
	return m.Run(ctx)
}

func (c *Cluster) runScheduler(ctx context.Context) error {
	path, err := c.kubeconfigFor("scheduler", c.keys.Scheduler)
	if err != nil {
		return err
	}
	s, err := scheduler.New(ctx, scheduler.Options{
		Kubeconfig: path,
		ConfigPath: c.path("scheduler-config.yaml"),
		ExtraArgs:  c.config.SchedulerArgs,
	})
	if err != nil {
		return err
	}
	c.board.post(StepScheduler, StateDone, "")
	return s.Run(ctx)
}

// startNodes starts the in-tab nodes and returns when each is Ready.
func (c *Cluster) startNodes(ctx context.Context, g *group) error {
	c.board.post(StepNodes, StateStarted, "")
	var pending sync.WaitGroup
	for i := range c.config.Nodes {
		n, err := c.newNode(i)
		if err != nil {
			c.board.post(StepNodes, StateFailed, err.Error())
			return err
		}
		g.Go("container runtime of "+n.Name(), func() error { return n.runtime.Run(ctx) })
		g.Go("kubelet of "+n.Name(), func() error { return n.Run(ctx) })
		pending.Go(func() {
			select {
			case <-n.Ready():
				c.board.post(StepNodes, StateProgress, n.Name()+" is Ready")
			case <-ctx.Done():
			}
		})
	}
	pending.Wait()
	if ctx.Err() == nil {
		c.board.post(StepNodes, StateDone, fmt.Sprintf("%d nodes", c.config.Nodes))
	}
	return nil
}
