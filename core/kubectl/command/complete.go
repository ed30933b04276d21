package command

import (
	"github.com/spf13/cobra"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"
	"k8s.io/kubectl/pkg/util/completion"
)

// completeContainers lets -c be completed wherever a command takes a container of a pod;
// upstream registers its function for some of these only.
func completeContainers(root *cobra.Command, f cmdutil.Factory) {
	for _, name := range []string{"logs", "attach", "cp", "exec", "debug"} {
		c, _, err := root.Find([]string{name})
		if err != nil || c.Name() != name || c.Flags().Lookup("container") == nil {
			continue
		}
		if _, has := c.GetFlagCompletionFunc("container"); !has {
			_ = c.RegisterFlagCompletionFunc("container", completion.ContainerCompletionFunc(f))
		}
	}
}
