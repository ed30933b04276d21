package testcluster

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/tabernetes/tabernetes/nodehost/testnet"
)

// Shared is the cluster that Main has started; nil where the tests cannot use it.
var Shared *Cluster

// Main is the body of a TestMain whose tests need a cluster and processes in namespaces.
func Main(m *testing.M, roles testnet.Roles) { testnet.Main(runner{m}, roles) }

type runner struct{ m *testing.M }

func (r runner) Run() int {
	if os.Geteuid() != 0 {
		return r.m.Run() // every test will say why it does not run
	}
	// Fuzzing runs no test, and many processes of this program; a list runs nothing.
	flag.Parse()
	for _, other := range []string{"test.fuzz", "test.list"} {
		if f := flag.Lookup(other); f != nil && f.Value.String() != "" {
			return r.m.Run()
		}
	}
	dir, err := os.MkdirTemp("", "tabtest")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	c, stop, err := Start(dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, "start a cluster:", err)
		return 1
	}
	defer stop()
	Shared = c
	return r.m.Run()
}
