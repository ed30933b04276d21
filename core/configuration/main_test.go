package configuration_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/cluster"
	"github.com/tabernetes/tabernetes/core/configuration"
	core "github.com/tabernetes/tabernetes/core/kubectl"
	"github.com/tabernetes/tabernetes/core/netns"
	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/trace"
)

// One cluster serves all tests of this package, configured anew by one after the other: upstream keeps state in
// package variables, so that a process can hold one only.
var (
	running *cluster.Cluster
	bus     = trace.New()
	dataDir string
	term    *core.Terminal
)

func TestMain(m *testing.M) {
	asScheduler()
	netns.Main(withCluster{m}, cluster.Addresses()...)
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
	if dataDir, err = os.MkdirTemp("", "configuration-"); err != nil {
		return 0, err
	}
	defer os.RemoveAll(dataDir)
	config, err := cluster.Options{Dir: dataDir, Listen: "127.0.0.1:0", Nodes: 1, Trace: bus, AuditLog: dataDir + "/audit.log"}.Complete()
	if err != nil {
		return 0, err
	}
	if running, err = config.New(); err != nil {
		return 0, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	stopped := make(chan error, 1)
	go func() { stopped <- running.Run(ctx) }()
	defer func() {
		cancel()
		select {
		case e := <-stopped:
			if err == nil {
				err = e
			}
		case <-time.After(bootPatience):
			err = fmt.Errorf("it does not stop within %s", bootPatience)
		}
	}()
	select {
	case <-running.Ready():
	case err := <-stopped:
		return 0, err
	case <-time.After(bootPatience):
		return 0, fmt.Errorf("not ready within %s", bootPatience)
	}
	home := dataDir + "/terminal"
	if err := os.MkdirAll(home, 0o700); err != nil {
		return 0, err
	}
	if term, err = core.New(core.Options{RESTConfig: running.AdminConfig, FS: program.NewFS(home).Plain(), Net: core.HostNetwork{}}); err != nil {
		return 0, err
	}
	return w.m.Run(), nil
}

// kubectl types one line into a terminal and returns what it printed.
func kubectl(t *testing.T, line string) string {
	t.Helper()
	var out bytes.Buffer
	if code := term.Session("test").Run(t.Context(), line, core.Streams{Stdout: &out, Stderr: &out}); code != 0 {
		t.Fatalf("%s: %d\n%s", line, code, out.String())
	}
	return out.String()
}

// configure puts files into force for one test.
func configure(t *testing.T, f configuration.Files) cluster.Configured {
	t.Helper()
	did, err := running.Configure(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	return did
}
