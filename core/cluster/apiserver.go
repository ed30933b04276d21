package cluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/klog/v2"

	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/clienttrace"
	"github.com/tabernetes/tabernetes/core/configuration"
	"github.com/tabernetes/tabernetes/core/group"
	"github.com/tabernetes/tabernetes/core/ingress"
)

// apiRun is one run of the apiserver: a cluster has several, one after the other, on the same store and at the same
// address.
type apiRun struct {
	server *apiserver.Server
	stop   func()
	done   chan error // what Run returned
	// stuck is closed when it was told to stop and does not: another one may take its place.
	stuck chan struct{}
}

// stopPatience is how long a server that was told to stop may take to answer what is under way. Upstream's waits for
// its identity's lease to be written before anything else, which never is where admission denies everything.
const stopPatience = 15 * time.Second

// runAPIServer makes an apiserver by the configuration in force and runs it until ctx is done or stop is called. Who
// calls it decides when it answers the cluster's own components (inside.Set).
func (c *Cluster) runAPIServer(ctx context.Context) (*apiRun, error) {
	ctx, cancel := context.WithCancel(ctx)
	listener := c.listener.share()
	server, err := c.newAPIServer(ctx, listener)
	if err != nil {
		cancel()
		return nil, err
	}
	// Once, and before stop returns: the handler of the next one is not this one's to take away.
	unset := sync.OnceValue(c.inside.Unset)
	stop := func() { unset(); cancel() }
	run, ended := &apiRun{server: server, stop: stop, done: make(chan error, 1), stuck: make(chan struct{})}, make(chan struct{})
	go func() {
		<-ctx.Done()
		// From here on it is as for clients of a process that ends: who comes is refused, or waits for the next one;
		// watches are ended by the server; what still runs when everything else is answered breaks.
		cut := unset()
		select {
		case <-server.Drained():
		case <-ended:
		case <-time.After(stopPatience):
			klog.ErrorS(nil, "kube-apiserver does not stop, and is left behind")
			listener.leave()
			defer close(run.stuck)
		}
		cut()
		listener.cut()
	}()
	go func() {
		_, g := group.New(ctx)
		g.Go("serve", func() error {
			clienttrace.Component(c.config.Trace, "kube-apiserver")
			return server.Run(ctx)
		})
		run.done <- g.Wait()
		close(ended)
		stop()
	}()
	return run, nil
}

// ended waits until it has, or is left behind; it was told to stop.
func (r *apiRun) ended() error {
	select {
	case err := <-r.done:
		return err
	case <-r.stuck:
		return nil
	}
}

// readyPatience is how long a server with another configuration may take until it is ready: one that cannot read what is
// stored never is.
const readyPatience = time.Minute

// serveAPI runs one apiserver after the other until ctx is done, or one ends by itself or cannot be made.
func (c *Cluster) serveAPI(ctx context.Context, run *apiRun) error {
	defer c.listener.Close()
	for {
		var started chan<- error
		select {
		case err := <-run.done:
			return err
		case <-run.stuck: // the cluster ends
			return nil
		case started = <-c.apiserverAgain:
		}
		release := c.hold(ctx)
		run.stop()
		if err := run.ended(); err != nil {
			release()
			started <- err
			return err
		}
		for {
			next, err := c.nextAPIServer(ctx)
			release()
			started <- err
			if err == nil {
				run = next
				break
			}
			// Whoever asked puts the former configuration back, and asks again.
			select {
			case started = <-c.apiserverAgain:
				release = c.hold(ctx)
			case <-ctx.Done():
				return nil
			}
		}
	}
}

// hold has requests of the cluster's own components wait for the next apiserver until release is called, or it is not
// to be expected any more. Upstream's end themselves if they are refused while they start, and wait longer and longer
// later: there it is the kubelet that starts them again.
func (c *Cluster) hold(ctx context.Context) (release func()) {
	ctx, release = context.WithTimeout(ctx, stopPatience+readyPatience)
	c.inside.Hold(ctx)
	return release
}

// nextAPIServer is one that is ready: before, what it says of rights and of custom resources is not true yet.
func (c *Cluster) nextAPIServer(ctx context.Context) (*apiRun, error) {
	next, err := c.runAPIServer(ctx)
	if err != nil {
		return nil, err
	}
	ready, cancel := context.WithTimeout(ctx, readyPatience)
	defer cancel()
	if err := awaitReadyz(ready, next.server); err != nil {
		next.stop()
		_ = next.ended()
		return nil, err
	}
	c.inside.Set(next.server.Handler())
	return next, nil
}

func (c *Cluster) newAPIServer(ctx context.Context, listener *share) (*apiserver.Server, error) {
	files := c.configurationInForce()
	dir := c.configurationDir()
	if err := files.WriteTo(dir); err != nil {
		return nil, err
	}
	o, err := c.apiserverOptions(files, dir)
	if err != nil {
		return nil, err
	}
	o.Listener = listener
	config, err := o.Config(ctx)
	if err != nil {
		return nil, err
	}
	completed, err := config.Complete()
	if err != nil {
		return nil, err
	}
	return completed.New(ctx)
}

// apiserverOptions are those of an apiserver with a configuration, whose files lie in dir.
func (c *Cluster) apiserverOptions(files configuration.Files, dir string) (*apiserver.Options, error) {
	args, err := files.APIServerArgs(dir)
	if err != nil {
		return nil, err
	}
	if path := c.config.AuditLog; path != "" && files.Has(configuration.Audit) {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, fmt.Errorf("make the audit log's directory: %w", err)
		}
		args = append([]string{"--audit-log-path=" + path, "--audit-log-maxsize=16", "--audit-log-maxbackup=4"}, args...)
	}
	o := &apiserver.Options{
		Listener:    c.listener,
		AdvertiseIP: apiserverIP.AsSlice(),
		ServiceCIDR: serviceCIDR,
		EtcdServers: c.etcdServers,
		Keys:        c.files,
		Egress:      c.router,
		InTabNodes:  c.hasInTabNodes,
		Trace:       c.config.Trace,
		Usage:       c.metrics,
		Audit:       c.audit,
		Groups:      []*genericapiserver.APIGroupInfo{c.metrics.Group()},
		ExtraArgs:   slices.Concat(args, c.config.APIServerArgs),

		IngressController: ingress.ControllerName,
	}
	if files.Has(configuration.BasicAuth) {
		o.BasicAuthFile = filepath.Join(dir, configuration.BasicAuth)
	}
	return o, nil
}
