package overlay

// traced is the part of the table for what core/trace tells of and upstream has no seam for. A hook
// that nobody sets costs a comparison.
var traced = []Entry{
	{
		Path:    "vendor/k8s.io/client-go/util/workqueue/queue.go",
		SHA256:  []string{"9e71bf364d9aa9e8a4d8689183585d9dbb083df9c7ee1125e57586b9398cec7a"},
		Missing: "nothing: nobody can tell which event led to which work",
		Instead: "hooks for core/clienttrace where an item is added, taken and done",
		Edits: []Edit{
			{"type Typed[t comparable] struct {\n", "type Typed[t comparable] struct {\n\ttap Tap\n\n"},
			{
				"\treturn newQueue(\n\t\tconfig.Clock,\n\t\tconfig.Queue,\n\t\tnewQueueMetrics[T](metricsProvider, config.Name, config.Clock),\n\t\tupdatePeriod,\n\t)\n",
				"\ttapped := newQueue(\n\t\tconfig.Clock,\n\t\tconfig.Queue,\n\t\tnewQueueMetrics[T](metricsProvider, config.Name, config.Clock),\n\t\tupdatePeriod,\n\t)\n\ttapped.tap = tapOf(config.Name)\n\treturn tapped\n",
			},
			{
				"\tif q.shuttingDown {\n\t\treturn\n\t}\n\tif q.dirty.Has(item) {\n",
				"\tif q.shuttingDown {\n\t\treturn\n\t}\n\tif q.tap != nil {\n\t\tq.tap.Added(item)\n\t}\n\tif q.dirty.Has(item) {\n",
			},
			{"\tq.dirty.Delete(item)\n", "\tq.dirty.Delete(item)\n\tif q.tap != nil {\n\t\tq.tap.Got(item)\n\t}\n"},
			{"\tq.metrics.done(item)\n", "\tq.metrics.done(item)\n\tif q.tap != nil {\n\t\tq.tap.Done(item)\n\t}\n"},
		},
	},
	{
		Path:    "vendor/k8s.io/client-go/util/workqueue/tap_js.go",
		From:    "vendor/k8s.io/client-go/util/workqueue/queue.go",
		SHA256:  []string{"9e71bf364d9aa9e8a4d8689183585d9dbb083df9c7ee1125e57586b9398cec7a"},
		Added:   true,
		Missing: "the hook",
		Instead: "see queue.go",
	},
	{
		Path:    "vendor/k8s.io/client-go/tools/cache/shared_informer.go",
		SHA256:  []string{"eb72ac949ea6d0e693c8fd06c7a7109efc7575eac8c64bd16a74a45f271ce469"},
		Missing: "nothing: nobody can tell which write an event handler was called for",
		Instead: "hooks for core/clienttrace where an event is handed to the listeners, and to a handler",
		Edits: []Edit{
			{"\tfor !p.listenersStarted && len(p.listeners) > 0 {\n\t\tp.listenersRCond.Wait()\n\t}\n\n\tfor listener, isSyncing", "\tfor !p.listenersStarted && len(p.listeners) > 0 {\n\t\tp.listenersRCond.Wait()\n\t}\n\tdistributes(obj, sync, len(p.listeners))\n\n\tfor listener, isSyncing"},
			{"\t\t\tswitch notification := next.(type) {\n", "\t\t\tdefer delivers(next)()\n\t\t\tswitch notification := next.(type) {\n"},
		},
	},
	{
		Path:    "vendor/k8s.io/client-go/tools/cache/tap_js.go",
		From:    "vendor/k8s.io/client-go/tools/cache/shared_informer.go",
		SHA256:  []string{"eb72ac949ea6d0e693c8fd06c7a7109efc7575eac8c64bd16a74a45f271ce469"},
		Added:   true,
		Missing: "the hooks",
		Instead: "see shared_informer.go",
	},
	{
		Path:    "vendor/k8s.io/kubernetes/pkg/controller/replicaset/replica_set.go",
		SHA256:  []string{"b02a0cb263f005ba7bb634400ddafb804ba6bdc73b9422dadff07319cda88672"},
		Missing: "nothing: nobody can tell which pods were created together",
		Instead: "hooks for core/clienttrace where a batch of pods begins and ends",
		Edits: []Edit{
			{"\t\terrCh := make(chan error, batchSize)\n", "\t\tended := batches(batchSize, remaining)\n\t\terrCh := make(chan error, batchSize)\n"},
			{"\t\tcurSuccesses := batchSize - len(errCh)\n", "\t\tended(len(errCh))\n\t\tcurSuccesses := batchSize - len(errCh)\n"},
		},
	},
	{
		Path:    "vendor/k8s.io/kubernetes/pkg/controller/replicaset/tap_js.go",
		From:    "vendor/k8s.io/kubernetes/pkg/controller/replicaset/replica_set.go",
		SHA256:  []string{"b02a0cb263f005ba7bb634400ddafb804ba6bdc73b9422dadff07319cda88672"},
		Added:   true,
		Missing: "the hook",
		Instead: "see replica_set.go",
	},
}
