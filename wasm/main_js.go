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

	"github.com/tabernetes/tabernetes/core/checkpoint"
	"github.com/tabernetes/tabernetes/core/cluster"
	"github.com/tabernetes/tabernetes/core/kubectl"
	"github.com/tabernetes/tabernetes/core/kubectl/command"
	"github.com/tabernetes/tabernetes/core/trace"
	"github.com/tabernetes/tabernetes/wasm/goroot"
	"github.com/tabernetes/tabernetes/wasm/jsx"
	"github.com/tabernetes/tabernetes/wasm/methods"
	"github.com/tabernetes/tabernetes/wasm/port"
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
		return port.NewServer(ctx, w, t.methods())
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
