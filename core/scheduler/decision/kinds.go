package decision

import "github.com/tabernetes/tabernetes/core/trace"

// Upstream's packages that do what the steps tell of.
const (
	schedulerPackage = "k8s.io/kubernetes/pkg/scheduler"
	runtimePackage   = "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	queuePackage     = "k8s.io/kubernetes/pkg/scheduler/backend/queue"
)

func declare(name, pkg, fn, text string) *trace.Kind {
	return trace.Declare(trace.Scheduler, "scheduler."+name, trace.Place{Package: pkg, Func: fn, Text: text})
}

var (
	queuedKind     = declare("queued", schedulerPackage, "Scheduler.addPodToSchedulingQueue", "sched.SchedulingQueue.Add(")
	movedKind      = declare("moved", queuePackage, "PriorityQueue.moveAllToActiveOrBackoffQueue", "p.movePodsToActiveOrBackoffQueue(")
	requeuedKind   = declare("requeued", schedulerPackage, "Scheduler.handleSchedulingFailure", "sched.SchedulingQueue.AddUnschedulableIfNotPresent(")
	attemptKind    = declare("attempt", schedulerPackage, "Scheduler.ScheduleOne", "podInfo, err := sched.NextPod(logger)")
	preFilterKind  = declare("prefilter", schedulerPackage, "Scheduler.findNodesThatFitPod", "schedFramework.RunPreFilterPlugins(")
	filterKind     = declare("filter", schedulerPackage, "Scheduler.findNodesThatPassFilters", "schedFramework.RunFilterPluginsWithNominatedPods(")
	scoreKind      = declare("score", schedulerPackage, "prioritizeNodes", "schedFramework.RunScorePlugins(")
	postFilterKind = declare("postfilter", schedulerPackage, "Scheduler.schedulingAlgorithm", "schedFramework.RunPostFilterPlugins(")
	reserveKind    = declare("reserve", schedulerPackage, "Scheduler.assumeAndReserve", "schedFramework.RunReservePluginsReserve(")
	unreserveKind  = declare("unreserve", schedulerPackage, "Scheduler.unreserveAndForget", "schedFramework.RunReservePluginsUnreserve(")
	permitKind     = declare("permit", schedulerPackage, "Scheduler.prepareForBindingCycle", "schedFramework.RunPermitPlugins(")
	preBindKind    = declare("prebind", schedulerPackage, "Scheduler.bindingCycle", "schedFramework.RunPreBindPlugins(")
	bindKind       = declare("bind", schedulerPackage, "Scheduler.bind", "schedFramework.RunBindPlugins(")
)
