package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"k8s.io/client-go/rest"
	logsapi "k8s.io/component-base/logs/api/v1"
	"k8s.io/klog/v2"

	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/checkpoint"
	"github.com/tabernetes/tabernetes/core/clienttrace"
	"github.com/tabernetes/tabernetes/core/configuration"
	"github.com/tabernetes/tabernetes/core/controllers"
	"github.com/tabernetes/tabernetes/core/egress"
	"github.com/tabernetes/tabernetes/core/group"
	"github.com/tabernetes/tabernetes/core/inprocess"
	"github.com/tabernetes/tabernetes/core/kubeconfig"
	"github.com/tabernetes/tabernetes/core/node/nodefs"
	"github.com/tabernetes/tabernetes/core/pki"
	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/realnode"
	"github.com/tabernetes/tabernetes/core/resourcemetrics"
	"github.com/tabernetes/tabernetes/core/scheduler/decision"
	"github.com/tabernetes/tabernetes/core/store"
	"github.com/tabernetes/tabernetes/core/trace"
)

func init() {
	// Each component applies its logging options; one process has one klog.
	logsapi.ReapplyHandling = logsapi.ReapplyHandlingIgnoreUnchanged
}

// Cluster is one cluster in this process. Upstream keeps state in package variables, so only
// one may run at a time, and a stopped one is not started again.
type Cluster struct {
	config CompletedConfig
	board  *board

	listener *listener
	keys     *pki.Cluster
	files    pki.Files
	access   kubeconfig.Cluster
	admin    pki.Pair
	router   *egress.Router
	outside  outside
	inside   *inprocess.Transport // to the apiserver, for the cluster's own components
	services *services            // set before nodes start

	store       *store.Store // nil before StepStore is done, and with a real etcd
	uninstall   func()       // takes the store out of upstream's hook
	etcdServers string       // what the apiserver is told

	metrics *resourcemetrics.Metrics

	pods    *program.Cgroup // of every in-tab container
	storage *nodefs.Pool    // of every in-tab node's files; nil for no bound

	decisions atomic.Pointer[decision.Decisions] // nil until the scheduler is made, and without a trace

	nodes nodes

	answered answered

	realNodes atomic.Pointer[realnode.Server] // nil without a hub

	configuring sync.Mutex // one change at a time
	kept        configuration.Kept
	inForce     atomic.Pointer[configuration.Files] // kept.Now
	audit       *apiserver.AuditRing
	// Who runs the apiserver and the scheduler is told here to do so anew, and says how that went.
	apiserverAgain, schedulerAgain chan chan<- error
	over                           chan struct{} // closed when it begins to stop
}

// auditBytes is what the cluster holds of its audit events.
const auditBytes = 4 << 20

// Audit is what an audit policy has recorded of late.
func (c *Cluster) Audit() *apiserver.AuditRing { return c.audit }

// Decisions answers what the scheduler decided of a pod; nil until it is made, and without a trace.
func (c *Cluster) Decisions() *decision.Decisions { return c.decisions.Load() }

// New makes the cluster's keys, or takes up those in its directory, and opens its listener; nothing runs before Run.
func (c CompletedConfig) New() (*Cluster, error) {
	l, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return nil, fmt.Errorf("listen for the apiserver on %s: %w", c.Listen, err)
	}
	cl := &Cluster{config: c, board: newBoard(started(c.Trace, c.Boot)), listener: newListener(l), router: egress.NewRouter(), inside: &inprocess.Transport{}}
	cl.router.HandleServices(cl.dialService, netip.MustParsePrefix(serviceCIDR), balancerPool)
	cl.router.HandleOutside(cl.routeOutside)
	cl.router.OnKubelet(func(from net.Addr) { c.Trace.Dialled(from.String(), trace.Marked()) })
	cl.metrics = resourcemetrics.New()
	cl.audit = apiserver.NewAuditRing(auditBytes)
	cl.over = make(chan struct{})
	cl.apiserverAgain, cl.schedulerAgain = make(chan chan<- error), make(chan chan<- error)
	cl.pods = program.NewCgroup(nil, program.Limits{Memory: c.PodMemory}, nil)
	if c.Storage > 0 {
		cl.storage = nodefs.NewPool(uint64(c.Storage))
	}
	if err := errors.Join(cl.makeKeys(), cl.takeUpConfiguration()); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return cl, nil
}

func (c *Cluster) makeKeys() error {
	var err error
	if c.keys, c.files, err = pki.Open(c.path("pki"), pki.Options{
		ServerNames: c.config.ServerNames,
		ServerIPs:   []net.IP{serviceIP.AsSlice(), apiserverIP.AsSlice(), c.listener.Addr().(*net.TCPAddr).IP},
	}); err != nil {
		return err
	}
	if c.admin, err = c.keys.Admin(); err != nil {
		return err
	}
	c.access = kubeconfig.Cluster{
		Name:   clusterName,
		Server: "https://" + c.listener.Addr().String(),
		CA:     c.keys.CA.CertPEM(),
	}
	return c.access.Write(c.path("admin.conf"), "kubernetes-admin", c.admin)
}

// PageConfig is a client configuration with all rights that stays in the process: for the page,
// which is the cluster's owner and no further away than a function call.
func (c *Cluster) PageConfig() *rest.Config { return c.insider(pki.Admin).RESTConfig(pki.Pair{}) }

// AdminConfig is a client configuration with all rights (group system:masters).
func (c *Cluster) AdminConfig() *rest.Config { return c.access.RESTConfig(c.admin) }

// WriteAdmin writes the owner's kubeconfig for use from outside: the cluster is called name in
// it, and its apiserver is reached at server (an URL) under serverName.
func (c *Cluster) WriteAdmin(path, name, server, serverName string) error {
	outside := kubeconfig.Cluster{Name: name, Server: server, ServerName: serverName, CA: c.access.CA}
	return outside.Write(path, "kubernetes-admin", c.admin)
}

// AdminKubeconfig is the path of the owner's kubeconfig file.
func (c *Cluster) AdminKubeconfig() string { return c.path("admin.conf") }

// Store is the cluster's own store, to look into; nil before StepStore is done, and with a real etcd.
func (c *Cluster) Store() *store.Store { return c.store }

// EtcdPrefix is what the keys of the API server's objects begin with, for as long as the cluster runs.
func (c *Cluster) EtcdPrefix() string { return c.Configuration().EtcdPrefix() }

// Checkpoints makes a list of moments of its store, with none yet; whoever makes it keeps it.
func (c *Cluster) Checkpoints() *checkpoint.Checkpoints {
	points := checkpoint.New(c.store, c.EtcdPrefix(), controllers.AwaitCollected)
	points.UnsealBy(c.unseal)
	return points
}

// Router is where an address of the cluster can be given another way than a plain dial.
func (c *Cluster) Router() *egress.Router { return c.router }

// Ready is closed when every step of starting is done.
func (c *Cluster) Ready() <-chan struct{} { return c.board.all }

// Done is closed when the step is done.
func (c *Cluster) Done(s Step) <-chan struct{} { return c.board.done[s] }

func (c *Cluster) path(elem ...string) string {
	return filepath.Join(append([]string{c.config.Dir}, elem...)...)
}

// Run starts every component and runs them until ctx is done or one of them fails, which ends
// all others. The error names the component that failed first.
func (c *Cluster) Run(ctx context.Context) error {
	ctx, g := group.New(ctx)
	defer g.End(nil)
	context.AfterFunc(ctx, func() { close(c.over) })

	defer clienttrace.Install(c.config.Trace)()
	if err := c.openStore(ctx); err != nil {
		c.board.post(StepStore, StateFailed, err.Error())
		return err
	}
	c.board.post(StepAPIServer, StateStarted, "")
	if err := c.checkAtStart(ctx); err != nil {
		c.board.post(StepAPIServer, StateFailed, err.Error())
		return err
	}
	api, err := c.runAPIServer(ctx)
	if err != nil {
		c.board.post(StepAPIServer, StateFailed, err.Error())
		return err
	}
	c.inside.Set(api.server.Handler())
	g.Go("kube-apiserver", func() error { return c.serveAPI(ctx, api) })
	g.Go("start", func() error { return c.startOthers(ctx, g, api.server) })
	err = g.Wait()
	c.inside.Close()
	c.closeStore()
	return err
}

func (c *Cluster) openStore(context.Context) error {
	c.board.post(StepStore, StateStarted, "")
	if servers := c.config.EtcdServers; len(servers) > 0 {
		c.etcdServers = strings.Join(servers, ",")
		c.board.post(StepStore, StateDone, "the etcd at "+c.etcdServers)
		return nil
	}
	options := c.config.Store
	options.Trace = c.config.Trace
	s, err := store.Open(options)
	if err != nil {
		return err
	}
	c.uninstall = store.Install(s)
	c.store, c.etcdServers = s, s.Endpoint()
	detail := "a new store, in memory only"
	if options.Path != "" || options.Sink != nil {
		detail = "a new store, which is kept"
	}
	if c.goesOn() {
		kept, _ := s.Kept()
		detail = fmt.Sprintf("goes on from revision %d", kept.Recovered.Revision)
	}
	for _, l := range s.Lost() {
		detail += fmt.Sprintf("; %s was damaged (%v): its last %d bytes are lost, a copy of it is set aside", l.File, l.Reason, l.Bytes)
	}
	c.board.post(StepStore, StateDone, detail)
	return nil
}

func (c *Cluster) closeStore() {
	if c.store != nil {
		c.uninstall()
		if err := c.store.Close(); err != nil {
			klog.ErrorS(err, "The store was not closed in good order")
		}
	}
}

// mkdir makes a directory of the cluster, for its owner only.
func (c *Cluster) mkdir(elem ...string) (string, error) {
	dir := c.path(elem...)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make directory: %w", err)
	}
	return dir, nil
}
