package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tabernetes/tabernetes/core/store/persist"
	"github.com/tabernetes/tabernetes/nodehost/datadir"
)

// storeCommand is to a native cluster's data directory what etcdutl is to an etcd's.
func storeCommand() *cobra.Command {
	dir := ""
	c := &cobra.Command{
		Use:   "store",
		Short: "Check, repair, export and import the store of a native cluster that does not run",
	}
	c.PersistentFlags().StringVarP(&dir, "data-dir", "d", "", "the directory given to nodehost serve")
	_ = c.MarkPersistentFlagRequired("data-dir")
	add := func(use, short string, args cobra.PositionalArgs, run func(d datadir.Dir, args []string) (string, datadir.Summary, error)) {
		c.AddCommand(&cobra.Command{
			Use: use, Short: short, Args: args,
			RunE: func(cmd *cobra.Command, args []string) error {
				done, sum, err := run(datadir.Dir(dir), args)
				if damage := (*persist.DamageError)(nil); errors.As(err, &damage) {
					return fmt.Errorf("%w. Run: nodehost store repair --data-dir %s", err, dir)
				}
				if err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%srevision %d, %d keys, %d bytes of values\n", done, sum.Revision, sum.Keys, sum.ValueBytes)
				return nil
			},
		})
	}
	add("verify", "Read all of it; tell where it is damaged, if it is", cobra.NoArgs,
		func(d datadir.Dir, _ []string) (string, datadir.Summary, error) {
			sum, err := d.Verify()
			return "", sum, err
		})
	add("repair", "Keep what comes before the damage; the files as they are are copied first", cobra.NoArgs,
		func(d datadir.Dir, _ []string) (string, datadir.Summary, error) {
			sum, lost, copied, err := d.Repair()
			if err != nil {
				return "", sum, err
			}
			if copied == "" {
				return "nothing is damaged: ", sum, nil
			}
			done := "copied to " + copied + "\n"
			for _, l := range lost {
				done += fmt.Sprintf("taken away: %d bytes of %s from byte %d (%v)\n", l.Bytes, l.File, l.From, l.Reason)
			}
			return done + "kept: ", sum, nil
		})
	add("export FILE", "Write an etcd snapshot, for `etcdutl snapshot restore FILE`", cobra.ExactArgs(1),
		func(d datadir.Dir, args []string) (string, datadir.Summary, error) {
			sum, err := d.Export(args[0])
			return "exported: ", sum, err
		})
	add("import FILE", "Begin a new store with an etcd snapshot (`etcdctl snapshot save FILE`)", cobra.ExactArgs(1),
		func(d datadir.Dir, args []string) (string, datadir.Summary, error) {
			sum, err := d.Import(args[0])
			return "imported: ", sum, err
		})
	return c
}
