package main

import (
	"context"
	"fmt"

	"k8s.io/client-go/rest"

	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/apiserver/etcdview"
	"github.com/tabernetes/tabernetes/core/attach"
	"github.com/tabernetes/tabernetes/core/checkpoint"
	"github.com/tabernetes/tabernetes/core/cluster"
	"github.com/tabernetes/tabernetes/core/configuration"
	"github.com/tabernetes/tabernetes/core/kubectl"
	"github.com/tabernetes/tabernetes/core/node/image/defined"
	"github.com/tabernetes/tabernetes/wasm/methods"
	"github.com/tabernetes/tabernetes/wasm/port"
	"github.com/tabernetes/tabernetes/wasm/wsdial"
)

// methods are what the page may call, each with what it needs of the cluster and how far that has to have come.
func (t *tab) methods() map[string]port.Handler {
	const api, store = cluster.StepAPIServer, cluster.StepStore
	visited := when(t, func(c *cluster.Cluster) methods.Visited { return c })
	scheduling := when(t, func(c *cluster.Cluster) methods.Scheduling { return c }) // its scheduler may still start
	exporting := when(t, func(c *cluster.Cluster) methods.Exporting { return exporting{c} }, api)
	remembered := when(t, func(*cluster.Cluster) *checkpoint.Checkpoints { return t.checkpoints() }, store)
	stored := when(t, func(c *cluster.Cluster) *etcdview.View { return etcdview.New(c.Store().Inspect(), t.trace) }, store)
	// Files are checked against what is stored.
	configurable := when(t, func(c *cluster.Cluster) methods.Configurable { return c }, store)
	runner := defined.NewRunner(containers{t.host})
	return map[string]port.Handler{
		"fetch":       methods.Fetch(when(t, func(*cluster.Cluster) *methods.API { return t.api }, api)),
		"visit":       methods.Visit(visited),
		"visitSocket": methods.VisitSocket(visited),
		"exec":        t.withTerminal(methods.Exec),
		"check":       methods.Check,
		"complete":    t.withTerminal(methods.Complete),
		"close":       t.withTerminal(methods.Close),
		// The cluster need not be ready: whoever comes early from outside waits for the API server.
		"attach":      t.outside(methods.Attach(wsdial.Dial, when(t, func(c *cluster.Cluster) attach.Cluster { return c }))),
		"invite":      methods.Invite(when(t, func(c *cluster.Cluster) methods.Inviter { return c })),
		"nodes":       methods.ManageNodes(when(t, func(c *cluster.Cluster) methods.Nodes { return c }, api)),
		"defineImage": methods.DefineImage(runner, when(t, func(c *cluster.Cluster) methods.Defining { return c })),
		"answered":    methods.Answered(when(t, func(c *cluster.Cluster) methods.Answering { return c })),
		"packetPath":  methods.PacketPath(when(t, func(c *cluster.Cluster) methods.Paths { return c })),

		"measureContainers": methods.MeasureContainers(runner),

		"trace":     methods.Trace(t.trace),
		"step":      methods.Step(t.trace),
		"kinds":     methods.Kinds,
		"export":    methods.Export(t.trace),
		"decision":  methods.Decision(scheduling),
		"askPlugin": methods.AskPlugin(scheduling),

		"exportCluster": methods.ExportCluster(exporting, keysDir()),
		"copyCluster":   methods.CopyCluster(exporting, shelf{}),
		"importCluster": methods.ImportCluster(shelf{}),
		"manifest":      methods.Manifest(exporting),

		"checkpoints":       methods.ListCheckpoints(remembered),
		"takeCheckpoint":    methods.TakeCheckpoint(remembered),
		"compareCheckpoint": methods.CompareCheckpoint(remembered),
		"restoreCheckpoint": methods.RestoreCheckpoint(remembered),
		"copyCheckpoint":    methods.CopyCheckpoint(remembered, exporting, shelf{}),

		"etcdKeys":     methods.EtcdKeys(stored),
		"etcdObject":   methods.EtcdObject(stored),
		"etcdHistory":  methods.EtcdHistory(stored),
		"etcdWatchers": methods.EtcdWatchers(stored),

		"configuration":        methods.Configuration(configurable),
		"checkConfiguration":   methods.CheckConfiguration(configurable),
		"configure":            methods.Configure(configurable),
		"restoreConfiguration": methods.RestoreConfiguration(configurable),
		"accessControls":       methods.AccessControls(t.trace),
		// What was recorded outlives the servers that recorded it.
		"audit": methods.Audit(when(t, func(c *cluster.Cluster) *apiserver.AuditRing { return c.Audit() })),
		"whoMay": methods.WhoMay(
			when(t, func(c *cluster.Cluster) *rest.Config { return c.PageConfig() }, api),
			when(t, func(c *cluster.Cluster) configuration.Files { return c.Configuration() }),
		),
	}
}

// when gives what a method needs, of takes it from the cluster, once there is one and its steps are done.
func when[T any](t *tab, of func(*cluster.Cluster) T, steps ...cluster.Step) func(context.Context) (T, error) {
	return func(ctx context.Context) (none T, err error) {
		if err := await(ctx, t.ready); err != nil {
			return none, err
		}
		for _, step := range steps {
			if err := await(ctx, t.cluster.Done(step)); err != nil {
				return none, err
			}
		}
		return of(t.cluster), nil
	}
}

// withTerminal waits until there is a terminal.
func (t *tab) withTerminal(method func(*kubectl.Terminal) port.Handler) port.Handler {
	return func(ctx context.Context, c *port.Call) (any, error) {
		if err := await(ctx, t.ready); err != nil {
			return nil, err
		}
		return method(t.terminal)(ctx, c)
	}
}

func await(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for the cluster to start: %w", context.Cause(ctx))
	}
}
