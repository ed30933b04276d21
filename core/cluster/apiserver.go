package cluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	genericapiserver "k8s.io/apiserver/pkg/server"

	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/clienttrace"
	"github.com/tabernetes/tabernetes/core/configuration"
	"github.com/tabernetes/tabernetes/core/group"
)

// apiRun is one run of the apiserver: a cluster has several, one after the other, on the same store and at the same
// address.
type apiRun struct {
	server *apiserver.Server
	stop   context.CancelFunc
	done   chan error // what Run returned
}

// runAPIServer makes an apiserver by the configuration in force and runs it until ctx is done or stop is called.
func (c *Cluster) runAPIServer(ctx context.Context) (*apiRun, error) {
	ctx, stop := context.WithCancel(ctx)
	listener := c.listener.share()
	server, err := c.newAPIServer(ctx, listener)
	if err != nil {
		stop()
		return nil, err
	}
	run, ended := &apiRun{server: server, stop: stop, done: make(chan error, 1)}, make(chan struct{})
	c.inside.Set(server.Handler())
	go func() {
		<-ctx.Done()
		// From here on it is as for clients of a process that ends: who comes is refused; watches are ended by the
		// server; what still runs when everything else is answered breaks.
		cut := c.inside.Unset()
		select {
		case <-server.Drained():
		case <-ended:
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
		case started = <-c.apiserverAgain:
		}
		run.stop()
		if err := <-run.done; err != nil {
			started <- err
			return err
		}
		for {
			next, err := c.runAPIServer(ctx)
			if err == nil {
				ready, cancel := context.WithTimeout(ctx, readyPatience)
				err = awaitReadyz(ready, next.server)
				cancel()
				if err != nil {
					next.stop()
					<-next.done
				}
			}
			started <- err
			if err == nil {
				run = next
				break
			}
			// Whoever asked puts the former configuration back, and asks again.
			select {
			case started = <-c.apiserverAgain:
			case <-ctx.Done():
				return nil
			}
		}
	}
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
		Audit:       c.audit,
		Groups:      []*genericapiserver.APIGroupInfo{c.metrics.Group()},
		ExtraArgs:   slices.Concat(args, c.config.APIServerArgs),
	}
	if files.Has(configuration.BasicAuth) {
		o.BasicAuthFile = filepath.Join(dir, configuration.BasicAuth)
	}
	return o, nil
}
