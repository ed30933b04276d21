package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/tabernetes/tabernetes/core/bootstrap"
	"github.com/tabernetes/tabernetes/nodehost/pairing"
	"github.com/tabernetes/tabernetes/nodehost/token"
)

func tokenCommand(find func() (pairing.State, error)) *cobra.Command {
	group := &cobra.Command{
		Use:   "token",
		Short: "Make and withdraw the tokens by which machines join",
	}
	o := token.Options{Out: os.Stdout}
	create := &cobra.Command{
		Use:   "create",
		Short: "Make an expiring token and print the line with which a machine joins",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			state, err := find()
			if err != nil {
				return err
			}
			at, err := state.Find()
			if o.Hub == "" && err != nil {
				return err
			}
			if o.Hub == "" {
				o.Hub = at.Page
			}
			if o.CertHash == "" && err == nil && at.SameHub(o.Hub) {
				o.CertHash = at.CertHash
			}
			return token.Create(cmd.Context(), o)
		},
	}
	create.Flags().StringVar(&o.Hub, "hub", "", "URL of the hub as the machine that joins sees it (default: that of the one that runs on this machine)")
	create.Flags().StringVar(&o.CertHash, "hub-cert-hash", "", "hash of the hub's own certificate, sha256:…, for the line (default: that of the hub that runs on this machine)")
	create.Flags().StringVar(&o.Cluster, "cluster", "", "name of the cluster at the hub (default: as the kubeconfig says)")
	create.Flags().DurationVar(&o.TTL, "ttl", bootstrap.DefaultTTL, "how long the token is good for")
	remove := &cobra.Command{
		Use:   "delete TOKEN",
		Short: "Withdraw a token, by its text or its id; nodes that have joined stay",
		Args:  cobra.ExactArgs(1),
		RunE:  func(cmd *cobra.Command, args []string) error { return token.Delete(cmd.Context(), o, args[0]) },
	}
	group.PersistentFlags().StringVar(&o.Kubeconfig, "kubeconfig", "", "kubeconfig of the cluster's owner (default: as kubectl finds it)")
	group.AddCommand(create, remove)
	return group
}
