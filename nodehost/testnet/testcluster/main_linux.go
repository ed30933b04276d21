package testcluster

import (
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
