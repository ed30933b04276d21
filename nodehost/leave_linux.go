package main

import (
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/tabernetes/tabernetes/nodehost/leave"
)

func leaveCommand() *cobra.Command {
	o := leave.Options{Out: os.Stdout}
	c := &cobra.Command{
		Use:   "leave",
		Short: "Take the node off this machine: drain it, remove every trace",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Log = logger("leave")
			return leave.Run(cmd.Context(), o)
		},
	}
	placeFlags(c, &o.Place)
	c.Flags().BoolVar(&o.Force, "force", false, "leave even if the node cannot be drained")
	c.Flags().DurationVar(&o.Patience, "timeout", 5*time.Minute, "how long pods may take to go")
	return c
}
