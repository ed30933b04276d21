package testcluster

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/tabernetes/tabernetes/core/cluster"
	"github.com/tabernetes/tabernetes/core/tunnel"
)

// Cluster is a running cluster.
type Cluster struct {
	Client kubernetes.Interface
	// Access goes to processes in other namespaces.
	Access Access
	api    string // the API server's address
}

// Access leads to the cluster from any network namespace.
type Access struct {
	Kubeconfig, Socket string
}

// Start runs a cluster until stop is called. A process can have one (upstream's state is in
// package variables), so a TestMain starts it.
func Start(dir string) (c *Cluster, stop func(), err error) {
	config, err := cluster.Options{Dir: dir, Listen: "127.0.0.1:0"}.Complete()
	if err != nil {
		return nil, nil, err
	}
	cl, err := config.New()
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- cl.Run(ctx) }()
	stop = func() { cancel(); <-ended }
	select {
	case <-cl.Ready():
	case err := <-ended:
		cancel()
		return nil, nil, err
	case <-time.After(2 * time.Minute):
		stop()
		return nil, nil, context.DeadlineExceeded
	}
	admin := cl.AdminConfig()
	admin.QPS, admin.Burst = 200, 400
	client, err := kubernetes.NewForConfig(admin)
	if err != nil {
		stop()
		return nil, nil, err
	}
	c = &Cluster{
		Client: client,
		Access: Access{Kubeconfig: cl.AdminKubeconfig(), Socket: filepath.Join(dir, "api.sock")},
		api:    admin.Host[len("https://"):],
	}
	return c, stop, nil
}

// Open opens the way from other namespaces until the test ends or the way is shut.
func (c *Cluster) Open(t testing.TB) (shut func()) {
	t.Helper()
	_ = os.Remove(c.Access.Socket)
	l, err := net.Listen("unix", c.Access.Socket)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				out, err := net.Dial("tcp", c.api)
				if err != nil {
					_ = in.Close()
					return
				}
				end := context.AfterFunc(ctx, func() { _, _ = in.Close(), out.Close() })
				defer end()
				_ = tunnel.Splice(in, out)
			}()
		}
	}()
	shut = func() { cancel(); _ = l.Close() }
	t.Cleanup(shut)
	return shut
}

// Dial opens a connection to the API server, from any namespace.
func (a Access) Dial(ctx context.Context) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, "unix", a.Socket)
}

// Config is a client that uses Dial, with all rights.
func (a Access) Config() (*rest.Config, error) {
	config, err := clientcmd.BuildConfigFromFlags("", a.Kubeconfig)
	if err != nil {
		return nil, err
	}
	config.Dial = func(ctx context.Context, _, _ string) (net.Conn, error) { return a.Dial(ctx) }
	return config, nil
}
