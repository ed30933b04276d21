package command

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/kubectl/pkg/cmd/config"
)

// kubeconfigs gives the files that the command's $KUBECONFIG names, a list as upstream has it
// (k8s.io/client-go/tools/clientcmd, NewDefaultClientConfigLoadingRules), or usual, as paths of the
// operating system. Upstream would read the process's variable, which is one for all commands.
func (f paths) kubeconfigs(usual string) []string {
	names := slices.DeleteFunc(strings.Split(f.p.Getenv(clientcmd.RecommendedConfigPathEnvVar), ":"),
		func(name string) bool { return name == "" })
	if len(names) == 0 {
		names = []string{usual}
	}
	var files []string
	for _, name := range names {
		if file := f.hostOrMissing(name); !slices.Contains(files, file) {
			files = append(files, file)
		}
	}
	return files
}

// merged is one kubeconfig that says what files say together: the file itself if there is one only.
// Upstream's flags take one path.
func merged(files []string) (name string, done func(), err error) {
	if len(files) == 1 {
		return files[0], func() {}, nil
	}
	rules := clientcmd.ClientConfigLoadingRules{Precedence: files}
	all, err := rules.Load()
	if err != nil {
		return "", nil, err
	}
	file, err := os.CreateTemp("", "kubeconfig-")
	if err != nil {
		return "", nil, err
	}
	file.Close()
	done = func() { os.Remove(file.Name()) }
	if err := clientcmd.WriteToFile(*all, file.Name()); err != nil {
		done()
		return "", nil, err
	}
	return file.Name(), done, nil
}

var lists atomic.Int64

// replaceConfig has the commands below `config` change the file of the list that holds what is
// changed. Upstream finds the list in a variable of the process whose name it is told: each command
// has a variable of its own.
func replaceConfig(root *cobra.Command, flags *genericclioptions.ConfigFlags, streams genericiooptions.IOStreams, files []string) (done func(), err error) {
	c, err := find(root, "config")
	if err != nil {
		return nil, err
	}
	if len(files) == 1 {
		// It looks for the file by itself, where the process's user has it.
		flag := c.PersistentFlags().Lookup("kubeconfig")
		if flag == nil {
			return nil, fmt.Errorf("kubectl config has no flag --kubeconfig any more")
		}
		return func() {}, flag.Value.Set(files[0])
	}
	variable := "TABERNETES_KUBECONFIG_" + strconv.FormatInt(lists.Add(1), 10)
	if err := os.Setenv(variable, strings.Join(files, string(os.PathListSeparator))); err != nil {
		return nil, err
	}
	options := clientcmd.NewDefaultPathOptions()
	options.EnvVar = variable
	options.LoadingRules = &clientcmd.ClientConfigLoadingRules{Precedence: files}
	options.GlobalFile = files[0]
	ours := config.NewCmdConfig(flags, options, streams)
	c.RemoveCommand(c.Commands()...)
	c.ResetFlags()
	c.PersistentFlags().AddFlagSet(ours.PersistentFlags())
	c.AddCommand(ours.Commands()...)
	return func() { os.Unsetenv(variable) }, nil
}
