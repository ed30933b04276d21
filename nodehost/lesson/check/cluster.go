package check

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/tabernetes/tabernetes/core/cluster"
	"github.com/tabernetes/tabernetes/core/kubectl"
	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/trace"
)

// bootPatience is how long a cluster may take to start on a busy machine.
const bootPatience = 5 * time.Minute

// start starts a cluster in dir, and gives a terminal of it; what they do is told to bus. A process can hold one only.
func start(ctx context.Context, dir string, nodes int, bus *trace.Bus) (*kubectl.Terminal, error) {
	config, err := cluster.Options{Dir: filepath.Join(dir, "cluster"), Listen: "127.0.0.1:0", Nodes: nodes, Trace: bus}.Complete()
	if err != nil {
		return nil, err
	}
	running, err := config.New()
	if err != nil {
		return nil, err
	}
	stopped := make(chan error, 1)
	go func() { stopped <- running.Run(ctx) }()
	patience, cancel := context.WithTimeout(ctx, bootPatience)
	defer cancel()
	select {
	case <-running.Ready():
	case err := <-stopped:
		return nil, fmt.Errorf("start a cluster: %w", err)
	case <-patience.Done():
		return nil, fmt.Errorf("start a cluster: it was not ready: %w", patience.Err())
	}
	home := filepath.Join(dir, "terminal")
	if err := os.MkdirAll(home, 0o700); err != nil {
		return nil, fmt.Errorf("make the terminal's directory: %w", err)
	}
	return kubectl.New(kubectl.Options{
		RESTConfig: running.AdminConfig,
		FS:         program.NewFS(home).Plain(),
		Net:        kubectl.HostNetwork{Laptop: running},
		Nodes:      running,
		Trace:      bus,
	})
}
