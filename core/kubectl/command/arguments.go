package command

import (
	"strings"

	"github.com/spf13/cobra"
)

// arguments gives the commands below root whose arguments are local paths those of the command's own
// file system, as rewrite does for flags.
func (f paths) arguments(root *cobra.Command) error {
	if f.same {
		return nil
	}
	err := wrap(root, "cp", func(args []string) []string {
		for i, a := range args {
			if !strings.Contains(a, ":") { // upstream's mark of a pod's file
				args[i] = f.hostOrMissing(a)
			}
		}
		return args
	})
	if err != nil {
		return err
	}
	return wrap(root, "kustomize", func(args []string) []string {
		if len(args) == 0 {
			args = []string{"."}
		}
		for i, a := range args {
			if !strings.Contains(a, "://") {
				args[i] = f.hostOrMissing(a)
			}
		}
		return args
	})
}

// wrap has the command of that name run with other arguments than were typed.
func wrap(root *cobra.Command, name string, translate func([]string) []string) error {
	c, err := find(root, name)
	if err != nil {
		return err
	}
	if run := c.Run; run != nil {
		c.Run = func(c *cobra.Command, args []string) { run(c, translate(args)) }
	}
	if run := c.RunE; run != nil {
		c.RunE = func(c *cobra.Command, args []string) error { return run(c, translate(args)) }
	}
	return nil
}
