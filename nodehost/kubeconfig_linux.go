package main

import (
	"os"
	"os/user"

	"github.com/spf13/cobra"

	"github.com/tabernetes/tabernetes/nodehost/kubeconfig"
	"github.com/tabernetes/tabernetes/nodehost/pairing"
)

func kubeconfigCommand(find func() (pairing.State, error)) *cobra.Command {
	o := kubeconfig.Options{}
	c := &cobra.Command{
		Use:   "kubeconfig",
		Short: "Ask a tab's owner for access and merge it into the kubeconfig",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			state, err := find()
			if err != nil {
				return err
			}
			if o.Secret, err = state.Secret(); err != nil {
				return err
			}
			at, err := state.Find()
			if o.Hub == "" && err != nil {
				return err
			}
			if o.Hub == "" {
				o.Hub, o.Client = at.Page, state.Client()
			}
			if o.CertHash == "" && err == nil && at.SameHub(o.Hub) {
				o.CertHash = at.CertHash
			}
			o.Out, o.In = os.Stderr, os.Stdin
			return kubeconfig.Run(cmd.Context(), o)
		},
	}
	name := "owner"
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	f := c.Flags()
	f.StringVar(&o.Hub, "hub", "", "URL of the hub (default: the one that runs on this machine)")
	f.StringVar(&o.CertHash, "hub-cert-hash", "", "hash of the hub's own certificate, sha256:… (default: that of the hub that runs on this machine)")
	f.StringVar(&o.Cluster, "cluster", "", "name of the cluster at the hub (default: the only one)")
	f.StringVar(&o.User, "user", name, "name by which the cluster will know you")
	f.StringVar(&o.File, "kubeconfig", "", "file to merge into (default: as kubectl finds it)")
	f.BoolVar(&o.KeepContext, "keep-context", false, "leave the current context as it is")
	f.BoolVar(&o.OwnPort, "own-port", false, "use the cluster's own port, for programs that cannot send a server name")
	return c
}
