package command

import (
	"fmt"

	"github.com/spf13/cobra"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"
	"k8s.io/kubectl/pkg/util/completion"
)

// completeContainers lets -c be completed wherever a command takes a container of a pod;
// upstream registers its function for some of these only.
func completeContainers(root *cobra.Command, f cmdutil.Factory) error {
	for _, name := range []string{"logs", "attach", "cp", "exec", "debug"} {
		c, err := find(root, name)
		if err != nil {
			return err
		}
		if c.Flags().Lookup("container") == nil {
			return fmt.Errorf("kubectl %s has no flag --container any more", name)
		}
		if _, has := c.GetFlagCompletionFunc("container"); !has {
			_ = c.RegisterFlagCompletionFunc("container", completion.ContainerCompletionFunc(f))
		}
	}
	return nil
}
