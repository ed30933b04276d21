package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tabernetes/tabernetes/nodehost/cri"
	"github.com/tabernetes/tabernetes/nodehost/nodedir"
)

func imageCommand() *cobra.Command {
	group := &cobra.Command{Use: "image", Short: "The images of this machine's node"}
	var place nodedir.Place
	var endpoint string
	find := func() (socket string, err error) {
		socket = place.Socket()
		if endpoint != "" {
			socket = strings.TrimPrefix(endpoint, "unix://")
		} else if s, err := place.Load(); err == nil && s.Endpoint != "" {
			socket = strings.TrimPrefix(s.Endpoint, "unix://")
		}
		if _, err := os.Stat(socket); err != nil {
			return "", fmt.Errorf("find the node's containerd: %w; is `nodehost join` running?", err)
		}
		return socket, nil
	}
	bring := &cobra.Command{
		Use:   "import ARCHIVE...",
		Short: "Bring images from OCI or docker archives into the node's containerd",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			socket, err := find()
			if err != nil {
				return err
			}
			for _, archive := range args {
				if err := cri.Import(cmd.Context(), socket, archive, os.Stderr); err != nil {
					return err
				}
			}
			return nil
		},
	}
	pulls := &cobra.Command{
		Use:   "pulls",
		Short: "Show what is being pulled, and how much of it is there",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			socket, err := find()
			if err != nil {
				return err
			}
			return cri.Pulls(cmd.Context(), socket, os.Stdout)
		},
	}
	for _, c := range []*cobra.Command{bring, pulls} {
		placeFlags(c, &place)
		c.Flags().StringVar(&endpoint, "cri-endpoint", "", "a containerd that runs already, unix:///… (default: the node's)")
	}
	group.AddCommand(bring, pulls)
	return group
}
