package command

import (
	"fmt"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/kubectl/pkg/cmd/config"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"
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

// kubeconfigFiles are those that a command reads: as files of the process, which name others by the process's paths.
type kubeconfigFiles struct {
	paths
	temporary []string
}

func (k *kubeconfigFiles) remove() {
	for _, name := range k.temporary {
		os.Remove(name)
	}
}

// merged is one kubeconfig that says what files say together: the file itself if there is one only that names no
// others. Upstream's flags take one path.
func (k *kubeconfigFiles) merged(files []string) (name string, err error) {
	rules := clientcmd.ClientConfigLoadingRules{Precedence: files, DoNotResolvePaths: true}
	if len(files) == 1 {
		if all, err := clientcmd.LoadFromFile(files[0]); err != nil || !namesFiles(all) {
			return files[0], nil //nolint:nilerr // upstream says what is wrong with it
		}
		rules = clientcmd.ClientConfigLoadingRules{ExplicitPath: files[0], DoNotResolvePaths: true}
	}
	all, err := rules.Load()
	if err != nil {
		return "", err
	}
	k.hosts(all)
	file, err := os.CreateTemp("", "kubeconfig-")
	if err != nil {
		return "", err
	}
	file.Close()
	k.temporary = append(k.temporary, file.Name())
	return file.Name(), clientcmd.WriteToFile(*all, file.Name())
}

func namesFiles(all *clientcmdapi.Config) bool {
	for _, cluster := range all.Clusters {
		if slices.ContainsFunc(clientcmd.GetClusterFileReferences(cluster), isNamed) {
			return true
		}
	}
	for _, user := range all.AuthInfos {
		if slices.ContainsFunc(clientcmd.GetAuthInfoFileReferences(user), isNamed) {
			return true
		}
	}
	return false
}

func isNamed(reference *string) bool { return *reference != "" }

// hosts makes the paths in kubeconfigs those of the process. Relative ones begin where the kubeconfig is; a plugin is a
// program of the command's, and its path one of the command's (credentials.go).
func (f paths) hosts(all *clientcmdapi.Config) {
	absolute := func(origin, name string) string {
		if at, ok := f.typed[origin]; ok && !path.IsAbs(name) {
			return path.Join(path.Dir(f.p.Path(at)), name)
		}
		return name
	}
	for _, cluster := range all.Clusters {
		for _, reference := range clientcmd.GetClusterFileReferences(cluster) {
			if *reference != "" {
				*reference = f.hostOrMissing(absolute(cluster.LocationOfOrigin, *reference))
			}
		}
	}
	for _, user := range all.AuthInfos {
		for _, reference := range clientcmd.GetAuthInfoFileReferences(user) {
			if *reference == "" {
				continue
			}
			name := absolute(user.LocationOfOrigin, *reference)
			if user.Exec == nil || reference != &user.Exec.Command {
				name = f.hostOrMissing(name)
			}
			*reference = name
		}
	}
}

// replaceFlag has --kubeconfig name a file of the command's that names others of the command's.
func (k *kubeconfigFiles) replaceFlag(root *cobra.Command) error {
	flag := root.PersistentFlags().Lookup(clientcmd.RecommendedConfigPathFlag)
	if flag == nil {
		return fmt.Errorf("kubectl has no flag --%s any more", clientcmd.RecommendedConfigPathFlag)
	}
	flag.Value = kubeconfigFlag{flag.Value, k}
	return nil
}

type kubeconfigFlag struct {
	pflag.Value
	read *kubeconfigFiles
}

// Set implements pflag.Value.
func (v kubeconfigFlag) Set(file string) error {
	name, err := v.read.merged([]string{file})
	if err != nil {
		return err
	}
	return v.Value.Set(name)
}

var lists atomic.Int64

// replaceConfig has the commands below `config` change the file of the list that holds what is
// changed. Upstream finds the list in a variable of the process whose name it is told: each command
// has a variable of its own.
func (f paths) replaceConfig(root *cobra.Command, flags *genericclioptions.ConfigFlags, streams genericiooptions.IOStreams, files []string) (done func(), err error) {
	c, err := find(root, "config")
	if err != nil {
		return nil, err
	}
	streams.Out = f.messages(streams.Out) // which file was changed
	options := clientcmd.NewDefaultPathOptions()
	options.LoadingRules = &clientcmd.ClientConfigLoadingRules{Precedence: files, DoNotResolvePaths: true}
	options.GlobalFile = files[0]
	done = func() {}
	if len(files) == 1 {
		// It looks for the file by itself, where the process's user has it.
		options.LoadingRules.ExplicitPath = files[0]
	} else {
		options.EnvVar = "TABERNETES_KUBECONFIG_" + strconv.FormatInt(lists.Add(1), 10)
		if err := os.Setenv(options.EnvVar, strings.Join(files, string(os.PathListSeparator))); err != nil {
			return nil, err
		}
		done = func() { os.Unsetenv(options.EnvVar) }
	}
	ours := config.NewCmdConfig(flags, options, streams)
	c.RemoveCommand(c.Commands()...)
	c.ResetFlags()
	c.PersistentFlags().AddFlagSet(ours.PersistentFlags())
	c.AddCommand(ours.Commands()...)
	if err := f.viewed(root, options, streams); err != nil {
		done()
		return nil, err
	}
	for _, name := range []string{"config set-cluster", "config set-credentials"} {
		if err := f.kept(root, name); err != nil {
			done()
			return nil, err
		}
	}
	return done, nil
}

// viewed has `config view --flatten` read the command's files into what it shows.
func (f paths) viewed(root *cobra.Command, options clientcmd.ConfigAccess, streams genericiooptions.IOStreams) error {
	view, err := find(root, "config view")
	if err != nil {
		return err
	}
	parent := view.Parent()
	parent.RemoveCommand(view)
	var ours *cobra.Command
	flattened := func() bool { asked, _ := ours.Flags().GetBool("flatten"); return asked }
	ours = config.NewCmdConfigView(streams, flattening{options, f, flattened})
	parent.AddCommand(ours)
	return nil
}

// flattening gives a kubeconfig whose paths are the process's, if files are about to be read into it.
type flattening struct {
	clientcmd.ConfigAccess
	paths paths
	asked func() bool
}

// GetStartingConfig implements clientcmd.ConfigAccess.
func (a flattening) GetStartingConfig() (*clientcmdapi.Config, error) {
	all, err := a.ConfigAccess.GetStartingConfig()
	if err == nil && a.asked() {
		a.paths.hosts(all)
	}
	return all, err
}

// kept has a command write the paths that it keeps in a kubeconfig as they are in the command's own file system, and
// not as those of the process, which its flags have (rewrite) because they may be read at once (--embed-certs).
func (f paths) kept(root *cobra.Command, name string) error {
	c, err := find(root, name)
	if err != nil {
		return err
	}
	run := c.Run
	c.Run = func(c *cobra.Command, args []string) {
		for _, name := range []string{clientcmd.FlagCAFile, clientcmd.FlagCertFile, clientcmd.FlagKeyFile} {
			flag := c.Flags().Lookup(name)
			if flag == nil || !flag.Changed || embeds(c) {
				continue
			}
			if typed, ok := f.typed[flag.Value.String()]; ok {
				cmdutil.CheckErr(flag.Value.Set(f.p.Path(typed)))
			}
		}
		run(c, args)
	}
	return nil
}

func embeds(c *cobra.Command) bool {
	flag := c.Flags().Lookup(clientcmd.FlagEmbedCerts)
	return flag != nil && flag.Value.String() == "true"
}
