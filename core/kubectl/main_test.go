package kubectl_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/tabernetes/tabernetes/core/cluster"
	"github.com/tabernetes/tabernetes/core/kubectl"
	"github.com/tabernetes/tabernetes/core/netns"
	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/trace"
)

// One cluster with one node serves all tests of this package.
var running *cluster.Cluster

func TestMain(m *testing.M) { netns.Main(withCluster{m}) }

type withCluster struct{ m *testing.M }

// Run starts the cluster, runs the tests and stops it.
func (w withCluster) Run() int {
	dir, err := os.MkdirTemp("", "kubectl-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if err := start(ctx, dir); err != nil {
		fmt.Fprintln(os.Stderr, "cluster:", err)
		return 1
	}
	return w.m.Run()
}

func start(ctx context.Context, dir string) error {
	config, err := cluster.Options{Dir: dir, Listen: "127.0.0.1:0", Nodes: 1, Configuration: elsewhere}.Complete()
	if err != nil {
		return err
	}
	if running, err = config.New(); err != nil {
		return err
	}
	stopped := make(chan error, 1)
	go func() { stopped <- running.Run(ctx) }()
	select {
	case <-running.Ready():
		return nil
	case err := <-stopped:
		return err
	case <-time.After(3 * time.Minute):
		return fmt.Errorf("not ready")
	}
}

// newTerminal is a terminal with a home directory of its own.
func newTerminal(tb testing.TB) (*kubectl.Terminal, *program.FS) {
	tb.Helper()
	fsys := program.NewFS(tb.TempDir())
	term, err := kubectl.New(kubectl.Options{
		RESTConfig: func() *rest.Config { return running.AdminConfig() },
		FS:         fsys,
		Home:       "/home/u",
		Trace:      trace.New(), // as in the tab
	})
	if err != nil {
		tb.Fatal(err)
	}
	return term, fsys
}
