package scheduler

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/cmd/kube-scheduler/app/config"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

var errLeaseLost = errors.New("leaderelection lost")

// runLed is upstream's Run of a scheduler in a pod, which schedules while it holds its lease. Upstream's own ends the
// process when the lease is lost, and when it is told to stop; here that is the cluster's. So the lease is upstream's,
// with what upstream would hold it by, and losing it ends this scheduler: its kubelet starts it again.
func runLed(ctx context.Context, cc *config.CompletedConfig, s *scheduler.Scheduler) error {
	lease := cc.LeaderElection
	if lease == nil {
		return runNamed(ctx, cc, s)
	}
	cc.LeaderElection, cc.ComponentConfig.LeaderElection.LeaderElect = nil, false
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	leads := make(chan struct{})
	next := s.NextPod
	s.NextPod = func(logger klog.Logger) (*framework.QueuedPodInfo, error) {
		select {
		case <-leads:
			return next(logger)
		case <-ctx.Done():
			return nil, nil
		}
	}
	lease.Callbacks = leaderelection.LeaderCallbacks{
		OnStartedLeading: func(context.Context) { close(leads) },
		OnStoppedLeading: func() { end(errLeaseLost) },
	}
	elector, err := leaderelection.NewLeaderElector(*lease)
	if err != nil {
		return fmt.Errorf("couldn't create leader elector: %w", err)
	}
	released := make(chan struct{})
	go func() {
		defer close(released)
		elector.Run(ctx)
	}()
	err = runNamed(ctx, cc, s)
	lost := errors.Is(context.Cause(ctx), errLeaseLost)
	end(nil)
	<-released // it gives the lease back by the pod's way to the API server
	if lost {
		return errLeaseLost
	}
	return err
}
