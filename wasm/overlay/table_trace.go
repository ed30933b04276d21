package overlay

// traced is the part of the table for what core/trace tells of and upstream has no seam for. A hook
// that nobody sets costs a comparison.
var traced = []Entry{
	{
		Path:    "vendor/k8s.io/client-go/util/workqueue/queue.go",
		SHA256:  []string{"9e71bf364d9aa9e8a4d8689183585d9dbb083df9c7ee1125e57586b9398cec7a"},
		Missing: "nothing: nobody can tell which event led to which work; and each of a hundred queues wakes the tab twice a second to say in a metric how old its work is (wake-ups of an idle tab)",
		Instead: "hooks for core/clienttrace where an item is added, taken and done; that metric every ten seconds",
		Edits: []Edit{
			{"const defaultUnfinishedWorkUpdatePeriod = 500 * time.Millisecond\n", "const defaultUnfinishedWorkUpdatePeriod = 10 * time.Second\n"},
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
		Path:    "vendor/k8s.io/client-go/util/workqueue/delaying_queue.go",
		SHA256:  []string{"6a69f92137eb880d6b335a5a1aad1fb98f38cfe14a9aeb9528c5b2accfe8fcb3"},
		Missing: "nothing: nobody can tell of what an item comes that is added after a while, as a Namespace is that goes",
		Instead: "an item that waits has with it what it comes of, for the taps of queue.go",
		Edits: []Edit{
			{"\treadyAt time.Time\n\t// index in", "\treadyAt time.Time\n\tcauses  []int64\n\t// index in"},
			{"readyAt: q.clock.Now().Add(duration)}:\n", "readyAt: q.clock.Now().Add(duration), causes: q.causes()}:\n"},
			{"\t\t\tq.Add(entry.data)\n", "\t\t\tq.due(entry)\n"},
			{"\n\t\t\t\tq.Add(waitEntry.data)\n", "\n\t\t\t\tq.due(waitEntry)\n"},
			{"\n\t\t\t\t\t\tq.Add(waitEntry.data)\n", "\n\t\t\t\t\t\tq.due(waitEntry)\n"},
			{"\tif exists {\n\t\tif existing.readyAt", "\tif exists {\n\t\texisting.alsoFor(entry)\n\t\tif existing.readyAt"},
		},
	},
	{
		Path:    "vendor/k8s.io/client-go/tools/cache/shared_informer.go",
		SHA256:  []string{"eb72ac949ea6d0e693c8fd06c7a7109efc7575eac8c64bd16a74a45f271ce469"},
		Missing: "nothing: nobody can tell which write an event handler was called for",
		Instead: "hooks for core/clienttrace where an event is handed to the listeners, and to a handler, and for what a cache holds",
		Edits: []Edit{
			{"\tfor !p.listenersStarted && len(p.listeners) > 0 {\n\t\tp.listenersRCond.Wait()\n\t}\n\n\tfor listener, isSyncing", "\tfor !p.listenersStarted && len(p.listeners) > 0 {\n\t\tp.listenersRCond.Wait()\n\t}\n\tdistributes(obj, sync, len(p.listeners))\n\n\tfor listener, isSyncing"},
			{
				"NewIndexer(DeletionHandlingMetaNamespaceKeyFunc, options.Indexers, WithStoreMetrics(options.Identifier, options.InformerMetricsProvider)),",
				"NewIndexer(DeletionHandlingMetaNamespaceKeyFunc, options.Indexers, WithStoreMetrics(options.Identifier, options.InformerMetricsProvider), kindOf(exampleObject)),",
			},
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
	{
		Path:    "vendor/k8s.io/kubernetes/pkg/controller/tainteviction/taint_eviction.go",
		SHA256:  []string{"4f6e5c4494af68c3bc251bfbe0884ad127d4c46294c64540818f0dd0eb728408"},
		Missing: "nothing: its workers are handed items by the goroutine that takes them out of the queues, so that nobody can tell which taint led to which eviction",
		Instead: "a worker says which item it works on, for the taps of workqueue/queue.go",
		Edits: []Edit{
			{"nodeUpdate nodeUpdateItem) {\n", "nodeUpdate nodeUpdateItem) {\n\tdefer workqueue.Works(tc.nodeUpdateQueue, nodeUpdate)()\n"},
			{"podUpdate podUpdateItem) {\n", "podUpdate podUpdateItem) {\n\tdefer workqueue.Works(tc.podUpdateQueue, podUpdate)()\n"},
		},
	},
	{
		Path:    "vendor/k8s.io/kubernetes/pkg/controller/tainteviction/timed_workers.go",
		SHA256:  []string{"a21f35348b8973f1323181a501117e3b597ec5675236e9cf65fecde97c334973"},
		Missing: "nothing: nobody can tell which taint led to an eviction that a toleration had put off",
		Instead: "a hook for core/clienttrace where the timer is set",
		Edits: []Edit{
			{"clock.AfterFunc(delay, wrapper)", "clock.AfterFunc(delay, carries(wrapper))"},
		},
	},
	{
		Path:    "vendor/k8s.io/kubernetes/pkg/controller/tainteviction/tap_js.go",
		From:    "vendor/k8s.io/kubernetes/pkg/controller/tainteviction/timed_workers.go",
		SHA256:  []string{"a21f35348b8973f1323181a501117e3b597ec5675236e9cf65fecde97c334973"},
		Added:   true,
		Missing: "the hook",
		Instead: "see timed_workers.go",
	},
	{
		Path:    "vendor/k8s.io/kubernetes/pkg/controller/controller_ref_manager.go",
		SHA256:  []string{"43517f9e1f9f9f615c38061126da853b8ad05e3a8fe4707cb1669eb9e7f92146"},
		Missing: "nothing: nobody can tell a controller's write that claims an object from its other writes",
		Instead: "hooks for core/clienttrace where an object was adopted or released",
		Edits: []Edit{
			{"\t\t// Successfully released.\n", "\t\t// Successfully released.\n\t\tclaims(m.Controller, obj, false)\n"},
			{"\t// Successfully adopted.\n", "\t// Successfully adopted.\n\tclaims(m.Controller, obj, true)\n"},
		},
	},
	{
		Path:    "vendor/k8s.io/kubernetes/pkg/controller/tap_js.go",
		From:    "vendor/k8s.io/kubernetes/pkg/controller/controller_ref_manager.go",
		SHA256:  []string{"43517f9e1f9f9f615c38061126da853b8ad05e3a8fe4707cb1669eb9e7f92146"},
		Added:   true,
		Missing: "the hook",
		Instead: "see controller_ref_manager.go",
	},
	{
		Path:    "vendor/k8s.io/kubernetes/pkg/kubelet/lifecycle/handlers.go",
		SHA256:  []string{"98062b3c5fd60d3db3e596b4e72d0d388766aa4f292e1196acc7f6d0b9cc0772"},
		Missing: "nothing: of a container's lifecycle hook that asks it by HTTP or sleeps, and succeeds, nothing can be seen from outside",
		Instead: "hooks for core/node/podtrace where such a hook begins and ends",
		Edits: []Edit{
			{
				"\t\terr := hr.runHTTPHandler(ctx, pod, container, handler, hr.eventRecorder)\n",
				"\t\tended := hooks(ctx, pod, container, handler)\n\t\terr := hr.runHTTPHandler(ctx, pod, container, handler, hr.eventRecorder)\n\t\tended(err)\n",
			},
			{
				"\t\terr := hr.runSleepHandler(ctx, handler.Sleep.Seconds)\n",
				"\t\tended := hooks(ctx, pod, container, handler)\n\t\terr := hr.runSleepHandler(ctx, handler.Sleep.Seconds)\n\t\tended(err)\n",
			},
		},
	},
	{
		Path:    "vendor/k8s.io/kubernetes/pkg/kubelet/lifecycle/tap_js.go",
		From:    "vendor/k8s.io/kubernetes/pkg/kubelet/lifecycle/handlers.go",
		SHA256:  []string{"98062b3c5fd60d3db3e596b4e72d0d388766aa4f292e1196acc7f6d0b9cc0772"},
		Added:   true,
		Missing: "the hook",
		Instead: "see handlers.go",
	},
	{
		Path:    "vendor/k8s.io/client-go/tools/cache/store.go",
		SHA256:  []string{"f20136f8fa9fbb182bcc6894871c9581d31014a94405e163e0b1ca902b6329e2"},
		Missing: "nothing: nobody can tell what a controller reads of its cache",
		Instead: "hooks for core/clienttrace where one object, or an index, is read",
		Edits: []Edit{
			{
				"type cache struct {\n",
				"type cache struct {\n\tkind string\n\n",
			},
			{
				"\treturn c.cacheStorage.ByIndex(indexName, indexedValue)\n",
				"\titems, err := c.cacheStorage.ByIndex(indexName, indexedValue)\n\tif err == nil {\n\t\tc.indexed(indexName, indexedValue, items)\n\t}\n\treturn items, err\n",
			},
			{
				"\titem, exists = c.cacheStorage.Get(key)\n",
				"\titem, exists = c.cacheStorage.Get(key)\n\tc.gets(key, item, exists)\n",
			},
		},
	},
	{
		Path:    "vendor/k8s.io/client-go/tools/cache/listers.go",
		SHA256:  []string{"e11145181475b2a486c015c302291e52e65bb0b5c665894a8560778dd8ca6b4a"},
		Missing: "nothing: nobody can tell what a controller lists of its cache",
		Instead: "a hook for core/clienttrace where a lister lists",
		Edits: []Edit{
			{
				"func ListAll(store Store, selector labels.Selector, appendFn AppendFunc) error {\n\tif labels.MatchesNothing(selector) {\n\t\treturn nil\n\t}\n",
				"func ListAll(store Store, selector labels.Selector, appendFn AppendFunc) error {\n\tif labels.MatchesNothing(selector) {\n\t\treturn nil\n\t}\n\tappendFn, listed := lists(store, \"\", selector, appendFn)\n\tdefer listed()\n",
			},
			{
				"\t\treturn ListAll(indexer, selector, appendFn)\n\t}\n",
				"\t\treturn ListAll(indexer, selector, appendFn)\n\t}\n\tappendFn, listed := lists(indexer, namespace, selector, appendFn)\n\tdefer listed()\n",
			},
		},
	},
	{
		Path:    "vendor/k8s.io/cli-runtime/pkg/printers/typesetter.go",
		SHA256:  []string{"e6c1867b53f475e6bbf39118cde02fcb2de8906854d67ebd68ac37a7c0185610"},
		Missing: "nothing: what kubectl makes of flags and files and sends to nobody (--dry-run=client) can be seen in its output only, and not in all of that",
		Instead: "a hook for core/kubectl/command where an object is printed",
		Edits: []Edit{
			{"\tif p == nil {\n\t\treturn delegate, nil\n\t}\n", "\tdelegate = taps(delegate)\n\tif p == nil {\n\t\treturn delegate, nil\n\t}\n"},
		},
	},
	{
		Path:    "vendor/k8s.io/cli-runtime/pkg/printers/tap_js.go",
		From:    "vendor/k8s.io/cli-runtime/pkg/printers/typesetter.go",
		SHA256:  []string{"e6c1867b53f475e6bbf39118cde02fcb2de8906854d67ebd68ac37a7c0185610"},
		Added:   true,
		Missing: "the hook",
		Instead: "see typesetter.go",
	},
	{
		Path:    "vendor/k8s.io/apiserver/pkg/registry/generic/registry/store.go",
		SHA256:  []string{"1e9c157af32a6ab46c088db4e6693f43c484e02c88c4c46bec2c382a190f4119"},
		Missing: "nothing: nobody can tell which hooks of a registry ran, and which there are not",
		Instead: "hooks for core/apiserver/apitrace at the moments of a create",
		Edits: []Edit{
			{
				"func (e *Store) create(ctx context.Context, obj runtime.Object, createValidation rest.ValidateObjectFunc, options *metav1.CreateOptions) (runtime.Object, error) {\n",
				"func (e *Store) create(ctx context.Context, obj runtime.Object, createValidation rest.ValidateObjectFunc, options *metav1.CreateOptions) (runtime.Object, error) {\n\tmoment := e.creates(ctx)\n",
			},
			{
				"\tif err := rest.BeforeCreate(e.CreateStrategy, ctx, obj); err != nil {\n\t\treturn nil, err\n\t}\n\t// at this point we have a fully formed object.  It is time to call the validators that the apiserver\n\t// handling chain wants to enforce.\n\tif createValidation != nil {\n\t\tif err := createValidation(ctx, obj.DeepCopyObject()); err != nil {\n\t\t\treturn nil, err\n\t\t}\n\t}\n\n\tname, err := e.ObjectNameFunc(obj)\n",
				"\tmoment(\"BeginCreate\", \"\")\n\tif err := rest.BeforeCreate(e.CreateStrategy, ctx, obj); err != nil {\n\t\treturn nil, err\n\t}\n\tmoment(\"BeforeCreate\", \"\")\n\t// at this point we have a fully formed object.  It is time to call the validators that the apiserver\n\t// handling chain wants to enforce.\n\tif createValidation != nil {\n\t\tif err := createValidation(ctx, obj.DeepCopyObject()); err != nil {\n\t\t\treturn nil, err\n\t\t}\n\t}\n\tmoment(\"createValidation\", \"\")\n\n\tname, err := e.ObjectNameFunc(obj)\n",
			},
			{
				"\tout := e.NewFunc()\n\tif err := e.Storage.Create(ctx, key, obj, out, ttl, dryrun.IsDryRun(options.DryRun)); err != nil {\n\t\terr = storeerr.InterpretCreateError(err, qualifiedResource, name)\n",
				"\tout := e.NewFunc()\n\tmoment(\"KeyFunc\", key)\n\tif err := e.Storage.Create(ctx, key, obj, out, ttl, dryrun.IsDryRun(options.DryRun)); err != nil {\n\t\terr = storeerr.InterpretCreateError(err, qualifiedResource, name)\n",
			},
			{
				"\t\taccessor, errGetAcc := meta.Accessor(out)\n\t\tif errGetAcc != nil {\n\t\t\treturn nil, err\n\t\t}\n\t\tif accessor.GetDeletionTimestamp() != nil {\n\t\t\tmsg := &err.",
				"\t\tmoment(\"Storage.Get\", \"\")\n\t\taccessor, errGetAcc := meta.Accessor(out)\n\t\tif errGetAcc != nil {\n\t\t\treturn nil, err\n\t\t}\n\t\tif accessor.GetDeletionTimestamp() != nil {\n\t\t\tmsg := &err.",
			},
			{
				"\tfn := finishCreate\n\tfinishCreate = finishNothing\n\tfn(ctx, true)\n\n\tif e.AfterCreate != nil {\n\t\te.AfterCreate(out, options)\n\t}\n\tif e.Decorator != nil {\n\t\te.Decorator(out)\n\t}\n",
				"\tmoment(\"Storage.Create\", \"\")\n\tfn := finishCreate\n\tfinishCreate = finishNothing\n\tfn(ctx, true)\n\n\tif e.AfterCreate != nil {\n\t\te.AfterCreate(out, options)\n\t}\n\tmoment(\"AfterCreate\", \"\")\n\tif e.Decorator != nil {\n\t\te.Decorator(out)\n\t}\n\tmoment(\"Decorator\", \"\")\n",
			},
		},
	},
	{
		Path:    "vendor/k8s.io/apiserver/pkg/registry/generic/registry/tap_js.go",
		From:    "vendor/k8s.io/apiserver/pkg/registry/generic/registry/store.go",
		SHA256:  []string{"1e9c157af32a6ab46c088db4e6693f43c484e02c88c4c46bec2c382a190f4119"},
		Added:   true,
		Missing: "the hook",
		Instead: "see store.go",
	},
}
