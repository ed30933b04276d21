package command

import (
	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/kubectl/pkg/cmd/auth"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"
)

// replaceExits gives `auth can-i`, which ends the process with os.Exit when the answer is no
// (k8s.io/kubectl/pkg/cmd/auth, NewCmdCanI), the end of a command.
func replaceExits(root *cobra.Command, f cmdutil.Factory, streams genericiooptions.IOStreams) error {
	c, err := find(root, "auth can-i")
	if err != nil {
		return err
	}
	c.Run = func(c *cobra.Command, args []string) {
		o := &auth.CanIOptions{IOStreams: streams}
		o.AllNamespaces, _ = c.Flags().GetBool("all-namespaces")
		o.Quiet, _ = c.Flags().GetBool("quiet")
		o.Subresource, _ = c.Flags().GetString("subresource")
		o.List, _ = c.Flags().GetBool("list")
		o.NoHeaders, _ = c.Flags().GetBool("no-headers")
		cmdutil.CheckErr(o.Complete(f, args))
		cmdutil.CheckErr(o.Validate())
		if o.List {
			cmdutil.CheckErr(o.RunAccessList())
			return
		}
		allowed, err := o.RunAccessCheck()
		cmdutil.CheckErr(err)
		if !allowed {
			panic(exit{code: 1})
		}
	}
	return nil
}
