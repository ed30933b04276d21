package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/tabernetes/tabernetes/nodehost/cni/plugin"
	"github.com/tabernetes/tabernetes/nodehost/pairing"
)

func main() {
	if plugin.Called() {
		plugin.Main() // where the small program of that name is not installed
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := command().ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "nodehost:", err)
		os.Exit(1)
	}
}

func command() *cobra.Command {
	root := &cobra.Command{
		Use:           "nodehost",
		Short:         "Serves Tabernetes' page and is the hub between tabs and the programs of this machine",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	state := root.PersistentFlags().String("state", "", "directory for the pairing secret and the hub's address (default: tabernetes in the user's configuration directory)")
	find := func() (pairing.State, error) {
		if *state != "" {
			return pairing.State{Dir: *state}, nil
		}
		return pairing.Default()
	}
	root.AddCommand(serveCommand(find), kubeconfigCommand(find), controlPlaneCommand(find), tokenCommand(find), joinCommand(), leaveCommand(), imageCommand(), storeCommand(), lessonCommand())
	return root
}

// logger writes to standard error; what programs read is on standard output.
func logger(name string) *slog.Logger {
	return slog.New(slog.NewTextHandler(os.Stderr, nil)).With("program", name)
}
