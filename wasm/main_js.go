package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/google/uuid"
	"k8s.io/client-go/rest"

	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/apiserver/etcdview"
	"github.com/tabernetes/tabernetes/core/checkpoint"
	"github.com/tabernetes/tabernetes/core/cluster"
	"github.com/tabernetes/tabernetes/core/configuration"
	"github.com/tabernetes/tabernetes/core/kubectl"
	"github.com/tabernetes/tabernetes/core/kubectl/command"
	"github.com/tabernetes/tabernetes/core/node/image/defined"
	"github.com/tabernetes/tabernetes/core/trace"
	"github.com/tabernetes/tabernetes/wasm/goroot"
	"github.com/tabernetes/tabernetes/wasm/jsx"

	"github.com/tabernetes/tabernetes/wasm/methods"
	"github.com/tabernetes/tabernetes/wasm/port"
	"github.com/tabernetes/tabernetes/wasm/wsdial"
)

// dir holds the cluster's keys, kubeconfigs and node files, in memory; of a cluster that is kept the
// keys come from the browser (keep_js.go).
const dir = "/var/lib/tabernetes"

// turnEvery is how often the page's messages get a turn while Go is busy.
const turnEvery = 20 * time.Millisecond

func main() {
	log.SetFlags(0)
	growFreely()
	uuid.EnableRandPool() // every request and object has one: else each would be a call to the browser
	h, err := readHost()
	if err != nil {
		log.Fatalf("tabernetes: %v", err) // there is nobody to tell but the console
	}
	if err := setUpLog(h.config.Verbose); err != nil {
		log.Fatalf("tabernetes: %v", err)
	}
	goroot.SetTemplateMethods(command.TemplateMethod)
	// By which kubectl reads a manifest at an address, and nothing else in the tab leaves it.
	http.DefaultClient.Transport = kubectl.Leaving{Web: web{}, Inside: http.DefaultTransport, Max: kubectl.MaxManifest}
	ctx, cancel := context.WithCancelCause(context.Background())
	turns, err := jsx.NewTurns(ctx)
	if err != nil {
		log.Fatalf("tabernetes: %v", err)
	}
	t := &tab{host: h, ready: make(chan struct{}), trace: trace.New()}
	t.server, err = port.Open(h.port, func(w port.Wire) *port.Server {
		return port.NewServer(ctx, w, map[string]port.Handler{
			"fetch":       methods.Fetch(t.awaitAPI),
			"visit":       methods.Visit(t.awaitVisited),
			"visitSocket": methods.VisitSocket(t.awaitVisited),
			"exec":        t.withTerminal(methods.Exec),
			"check":       methods.Check,
			"complete":    t.withTerminal(methods.Complete),
			"close":       t.withTerminal(methods.Close),
			"attach":      t.outside(methods.Attach(wsdial.Dial, t.awaitAttachable)),
			"nodes":       methods.ManageNodes(t.awaitCluster),
			"defineImage": methods.DefineImage(defined.NewRunner(containers{h}), func(ctx context.Context) (methods.Defining, error) {
				if err := await(ctx, t.ready); err != nil {
					return nil, err
				}
				return t.cluster, nil
			}),
			"answered":  methods.Answered(t.awaitAnswering),
			"trace":     methods.Trace(t.trace),
			"step":      methods.Step(t.trace),
			"kinds":     methods.Kinds,
			"export":    methods.Export(t.trace),
			"decision":  methods.Decision(t.awaitScheduling),
			"askPlugin": methods.AskPlugin(t.awaitScheduling),
			"packetPath": methods.PacketPath(func(ctx context.Context) (methods.Paths, error) {
				if err := await(ctx, t.ready); err != nil {
					return nil, err
				}
				return t.cluster, nil
			}),

			"exportCluster": methods.ExportCluster(t.awaitExporting, keysDir()),
			"copyCluster":   methods.CopyCluster(t.awaitExporting, shelf{}),
			"importCluster": methods.ImportCluster(shelf{}),
			"manifest":      methods.Manifest(t.awaitExporting),

			"checkpoints":       methods.ListCheckpoints(t.awaitCheckpoints),
			"takeCheckpoint":    methods.TakeCheckpoint(t.awaitCheckpoints),
			"compareCheckpoint": methods.CompareCheckpoint(t.awaitCheckpoints),
			"restoreCheckpoint": methods.RestoreCheckpoint(t.awaitCheckpoints),
			"copyCheckpoint":    methods.CopyCheckpoint(t.awaitCheckpoints, t.awaitExporting, shelf{}),

			"etcdKeys":     methods.EtcdKeys(t.awaitStore),
			"etcdObject":   methods.EtcdObject(t.awaitStore),
			"etcdHistory":  methods.EtcdHistory(t.awaitStore),
			"etcdWatchers": methods.EtcdWatchers(t.awaitStore),

			"configuration":        methods.Configuration(t.awaitConfigurable),
			"checkConfiguration":   methods.CheckConfiguration(t.awaitConfigurable),
			"configure":            methods.Configure(t.awaitConfigurable),
			"restoreConfiguration": methods.RestoreConfiguration(t.awaitConfigurable),
			"accessControls":       methods.AccessControls(t.trace),
			"audit":                methods.Audit(t.awaitAudit),
			"whoMay":               methods.WhoMay(t.awaitRights, t.awaitFiles),

			"invite": methods.Invite(func(ctx context.Context) (methods.Inviter, error) {
				if err := await(ctx, t.ready); err != nil {
					return nil, err
				}
				return t.cluster, nil
			}),
		})
	})
	if err != nil {
		log.Fatalf("tabernetes: open the page's port: %v", err)
	}
	if err := t.server.Hello(h.protocol); err != nil {
		t.fault("page", err.Error(), "")
		select {}
	}
	t.reportExits()
	if t.image, err = newImage(t, turns); err != nil {
		log.Fatalf("tabernetes: %v", err)
	}
	go func() {
		if err := turns.Give(ctx, turnEvery); err != nil {
			log.Printf("tabernetes: %v", err)
		}
	}()
	err = t.run(ctx)
	cancel(err)
	if err == nil {
		err = errors.New("every component has ended")
	}
	t.fault("cluster", err.Error(), "")
	select {} // stay, so that the page can still ask for what is in memory
}

// tab is the cluster with its page.
type tab struct {
	host     *host
	server   *port.Server
	ready    chan struct{} // closed when what follows is set
	api      *methods.API
	apiUp    <-chan struct{}
	terminal *kubectl.Terminal
	cluster  *cluster.Cluster
	trace    *trace.Bus
	image    *image // nil if its memory is not kept
	// checkpoints is called when the store is open.
	checkpoints func() *checkpoint.Checkpoints
}

func (t *tab) run(ctx context.Context) error {
	if err := prepareSystem(); err != nil {
		return err
	}
	options, err := t.host.config.options()
	if err != nil {
		return err
	}
	options.Boot = t.boot
	options.Trace = t.trace
	t.image.note(&options)
	kept, err := t.host.config.keep(ctx, &options)
	if err != nil {
		return err
	}
	config, err := options.Complete()
	if err != nil {
		return err
	}
	c, err := config.New()
	if err != nil {
		return err
	}
	if err := kept.save(); err != nil {
		return err
	}
	page := c.PageConfig()
	transport, err := rest.TransportFor(page)
	if err != nil {
		return fmt.Errorf("make the page's client: %w", err)
	}
	t.api = &methods.API{Server: page.Host, Transport: transport}
	t.apiUp = c.Done(cluster.StepAPIServer)
	t.checkpoints = sync.OnceValue(func() *checkpoint.Checkpoints { return kept.remember(c.Checkpoints()) })
	if t.terminal, err = newTerminal(c, t.trace, t.beforeKubectl); err != nil {
		return err
	}
	t.cluster = c
	close(t.ready)
	go kept.follow(ctx, c)
	go kept.followCheckpoints(ctx, c, t.checkpoints)
	go t.image.run(ctx, kept)
	go func() {
		if await(ctx, c.Ready()) == nil {
			growSparingly()
		}
	}()
	return c.Run(ctx)
}

// awaitAPI returns when the apiserver is ready.
func (t *tab) awaitAPI(ctx context.Context) (*methods.API, error) {
	if err := await(ctx, t.ready); err != nil {
		return nil, err
	}
	if err := await(ctx, t.apiUp); err != nil {
		return nil, err
	}
	return t.api, nil
}

// awaitVisited returns when there is a network that can be visited.
func (t *tab) awaitVisited(ctx context.Context) (methods.Visited, error) {
	if err := await(ctx, t.ready); err != nil {
		return nil, err
	}
	return t.cluster, nil
}

// awaitAnswering returns when there is a network whose connections can be heard of.
func (t *tab) awaitAnswering(ctx context.Context) (methods.Answering, error) {
	if err := await(ctx, t.ready); err != nil {
		return nil, err
	}
	return t.cluster, nil
}

// awaitCluster returns when the cluster's nodes can be changed.
func (t *tab) awaitCluster(ctx context.Context) (methods.Nodes, error) {
	if err := await(ctx, t.ready); err != nil {
		return nil, err
	}
	if err := await(ctx, t.apiUp); err != nil {
		return nil, err
	}
	return t.cluster, nil
}

// awaitConfigurable returns when there is a cluster with a store: files are checked against what it stores with.
func (t *tab) awaitConfigurable(ctx context.Context) (methods.Configurable, error) {
	if err := await(ctx, t.ready); err != nil {
		return nil, err
	}
	if err := await(ctx, t.cluster.Done(cluster.StepStore)); err != nil {
		return nil, err
	}
	return t.cluster, nil
}

// awaitAudit returns when there is a cluster; what it records outlives its servers.
func (t *tab) awaitAudit(ctx context.Context) (*apiserver.AuditRing, error) {
	if err := await(ctx, t.ready); err != nil {
		return nil, err
	}
	return t.cluster.Audit(), nil
}

// awaitRights returns when there is an API that lists who has which.
func (t *tab) awaitRights(ctx context.Context) (*rest.Config, error) {
	if _, err := t.awaitAPI(ctx); err != nil {
		return nil, err
	}
	return t.cluster.PageConfig(), nil
}

// awaitFiles returns the configuration in force.
func (t *tab) awaitFiles(ctx context.Context) (configuration.Files, error) {
	if err := await(ctx, t.ready); err != nil {
		return nil, err
	}
	return t.cluster.Configuration(), nil
}

// awaitScheduling returns when there is a cluster; its scheduler may still start.
func (t *tab) awaitScheduling(ctx context.Context) (methods.Scheduling, error) {
	if err := await(ctx, t.ready); err != nil {
		return nil, err
	}
	return t.cluster, nil
}

// awaitStore returns when the store is open, and what looks into it.
func (t *tab) awaitStore(ctx context.Context) (*etcdview.View, error) {
	if err := await(ctx, t.ready); err != nil {
		return nil, err
	}
	if err := await(ctx, t.cluster.Done(cluster.StepStore)); err != nil {
		return nil, err
	}
	return etcdview.New(t.cluster.Store().Inspect(), t.trace), nil
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

// boot tells the page of a step.
func (t *tab) boot(p cluster.Progress) {
	m := port.Out{"type": "boot", "step": string(p.Step), "state": string(p.State), "at": t.host.since(p.At)}
	if p.Detail != "" {
		m["detail"] = p.Detail
	}
	if err := t.server.Post(m); err != nil {
		log.Printf("tabernetes: tell the page of %s: %v", p.Step, err)
	}
}

func init() {
	// What kubectl, client-go and programs look for.
	for name, value := range map[string]string{"HOME": "/root", "PATH": "/usr/bin:/bin", "USER": "root", "TMPDIR": "/tmp", "TZ": ""} {
		os.Setenv(name, value)
	}
}
