package cluster_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/cluster"
	"github.com/tabernetes/tabernetes/core/kubectl"
	"github.com/tabernetes/tabernetes/core/netns"
	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/trace"
)

// One cluster serves all tests of this package: upstream keeps state in package variables, so
// that a process can hold one only.
var (
	running *cluster.Cluster
	term    *kubectl.Terminal
	bus     = traced()
	dataDir string // the cluster's
)

func TestMain(m *testing.M) { netns.Main(withCluster{m}, cluster.Addresses()...) }

// onEtcd, set to anything, has the tests run on a real etcd in place of the store.
const onEtcd = "TABERNETES_TEST_ON_ETCD"

// traced is the bus of all tests, none if the cluster is to run as one without (for benchmarks).
func traced() *trace.Bus {
	if os.Getenv("TABERNETES_TEST_UNTRACED") != "" {
		return nil
	}
	return trace.New()
}

// bootPatience is how long a cluster may take to start on a busy machine.
const bootPatience = 3 * time.Minute

type withCluster struct{ m *testing.M }

// Run starts the cluster, runs the tests and stops it.
func (w withCluster) Run() int {
	code, err := w.run()
	if err != nil {
		fmt.Fprintln(os.Stderr, "cluster:", err)
		return 1
	}
	return code
}

func (w withCluster) run() (code int, err error) {
	dir, err := os.MkdirTemp("", "cluster-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	dataDir = dir
	etcdServers, stopEtcd, err := etcdServers(dir)
	if err != nil {
		return 0, err
	}
	defer stopEtcd()
	begin := time.Now()
	config, err := cluster.Options{
		Dir:         dir,
		Listen:      "127.0.0.1:0",
		Nodes:       3,
		EtcdServers: etcdServers,
		Trace:       bus,
		Images:      benchImages(),

		SchedulerConfig: []byte(schedulerConfig),
		AdmissionConfig: []byte(admissionConfig),
		Boot: func(p cluster.Progress) {
			fmt.Printf("boot %6.3f s  %s %s %s\n", p.At.Sub(begin).Seconds(), p.Step, p.State, p.Detail)
		},
	}.Complete()
	if err != nil {
		return 0, err
	}
	if running, err = config.New(); err != nil {
		return 0, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	view(ctx)
	stopped := make(chan error, 1)
	go func() { stopped <- running.Run(ctx) }()
	select {
	case <-running.Ready():
	case err := <-stopped:
		return 0, err
	case <-time.After(bootPatience):
		return 0, fmt.Errorf("not ready within %s", bootPatience)
	}
	home := dir + "/terminal"
	if err := os.MkdirAll(home, 0o700); err != nil {
		return 0, err
	}
	net := kubectl.HostNetwork{Laptop: running}
	leaveByExamples(&net)
	if term, err = kubectl.New(kubectl.Options{RESTConfig: running.AdminConfig, FS: program.NewFS(home).Plain(), Net: net, Trace: bus, Nodes: running}); err != nil {
		return 0, err
	}
	return w.m.Run(), nil
}

// terminal types one line into the terminal's shell.
func terminal(ctx context.Context, line string, stdout, stderr io.Writer) int {
	return term.Session("test").Run(ctx, line, kubectl.Streams{Stdout: stdout, Stderr: stderr})
}
