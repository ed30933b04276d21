package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/tabernetes/tabernetes/core/cluster"
	"github.com/tabernetes/tabernetes/core/netns"
	"github.com/tabernetes/tabernetes/core/tunnel"
	"github.com/tabernetes/tabernetes/nodehost/controlplane"
	"github.com/tabernetes/tabernetes/nodehost/pairing"
)

// controlPlaneCommand is what `serve --control-plane=native` starts as a process of its own.
func controlPlaneCommand(find func() (pairing.State, error)) *cobra.Command {
	o := controlplane.Options{}
	c := &cobra.Command{
		Use:    "control-plane",
		Short:  "Run a cluster in a network of its own and attach it to the hub's socket",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			// First of all: it runs this program once more, inside.
			if err := netns.Enter(cluster.Addresses()...); err != nil && o.Nodes > 0 {
				return fmt.Errorf("in-tab nodes need a network namespace: %w; without one, use --nodes 0", err)
			}
			state, err := find()
			if err != nil {
				return err
			}
			if o.Secret, err = state.Secret(); err != nil {
				return err
			}
			if o.Socket == "" {
				o.Socket = state.Socket()
			}
			o.Log = logger("control-plane")
			if o.ConfigDir != "" {
				hup := make(chan os.Signal, 1)
				signal.Notify(hup, syscall.SIGHUP)
				o.ReadAgain = hup
			}
			o.Ready = func(w tunnel.Welcome) { fmt.Printf("ready %s\n", w.Name) }
			return controlplane.Run(cmd.Context(), o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.Dir, "dir", "", "data directory")
	f.BoolVar(&o.Store, "store", false, "keep the store there")
	f.StringVar(&o.StoreSync, "store-sync", "always", "when what is written is on disk")
	o.Etcd.AddFlags(f)
	f.StringVar(&o.Etcd.Gateway, "etcd-gateway", "", "unix socket that leads to the etcd")
	f.StringVar(&o.Socket, "socket", "", "the hub's unix socket")
	f.StringVar(&o.Name, "name", "native", "name of the cluster")
	f.IntVar(&o.Nodes, "nodes", 3, "in-tab nodes")
	f.BoolVar(&o.Cluster.RefuseImages, "refuse-images", false, "images that in-tab nodes do not have fail to pull; otherwise a stand-in runs in their place")
	f.StringVar(&o.Kubeconfig, "kubeconfig", "", "where the owner's kubeconfig is written")
	f.StringArrayVar(&o.Cluster.ControllerArgs, "controller-arg", nil, "a further flag of kube-controller-manager")
	f.StringVar(&o.Trace, "trace", "", "file that each step of the trace is written to, a line of JSON")
	f.StringVar(&o.ConfigDir, "config-dir", "", "directory with the configuration, which SIGHUP has read again")
	f.BoolVar(&o.Grant, "grant", false, "give access to whoever has the pairing secret")
	return c
}
