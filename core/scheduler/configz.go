package scheduler

import (
	"context"
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	"k8s.io/component-base/configz"
	schedulerv1 "k8s.io/kube-scheduler/config/v1"
	"k8s.io/kubernetes/cmd/kube-scheduler/app"
	"k8s.io/kubernetes/cmd/kube-scheduler/app/config"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/v1"
)

// configzName is what upstream registers a scheduler's configuration as, in a variable of the process which
// /configz shows. It fails where the name is taken.
const configzName = "componentconfig"

// registering is the cluster's own configuration under that name, which stays there whoever else runs a
// scheduler: each takes the name for the moment in which upstream asks for it.
var registering struct {
	mu  sync.Mutex
	own runtime.Object // nil while the cluster's own does not run
}

// runOwn runs the cluster's own scheduler until ctx is done.
func runOwn(ctx context.Context, cc *config.CompletedConfig, s *scheduler.Scheduler) error {
	own := &schedulerv1.KubeSchedulerConfiguration{}
	if err := v1.Convert_config_KubeSchedulerConfiguration_To_v1_KubeSchedulerConfiguration(&cc.ComponentConfig, own, nil); err != nil {
		return fmt.Errorf("convert the configuration: %w", err)
	}
	own.SetGroupVersionKind(schedulerv1.SchemeGroupVersion.WithKind("KubeSchedulerConfiguration"))
	registering.mu.Lock()
	registering.own = own
	registering.mu.Unlock()
	defer func() {
		registering.mu.Lock()
		defer registering.mu.Unlock()
		if registering.own == own {
			registering.own = nil
			configz.Delete(configzName)
		}
	}()
	return runNamed(ctx, cc, s)
}

// runNamed is upstream's Run, which finds the name free, and leaves it to the cluster's own scheduler.
func runNamed(ctx context.Context, cc *config.CompletedConfig, s *scheduler.Scheduler) error {
	registering.mu.Lock()
	configz.Delete(configzName)
	registered := sync.OnceFunc(func() {
		defer registering.mu.Unlock()
		configz.Delete(configzName)
		if registering.own == nil {
			return
		}
		if c, err := configz.New(configzName); err == nil {
			_ = c.Set(registering.own) // it has a kind and an external version, which is all that is asked
		}
	})
	defer registered() // where upstream fails before
	cc.EventBroadcaster = begun{cc.EventBroadcaster, registered}
	return app.Run(ctx, cc, s)
}

// begun is told when events are sent, which upstream does as soon as it has registered its configuration.
type begun struct {
	events.EventBroadcasterAdapter
	tell func()
}

// StartRecordingToSink implements events.EventBroadcasterAdapter.
func (b begun) StartRecordingToSink(stop <-chan struct{}) {
	b.tell()
	b.EventBroadcasterAdapter.StartRecordingToSink(stop)
}
