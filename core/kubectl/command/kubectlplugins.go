package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/kubectl/pkg/cmd"
	upstream "k8s.io/kubectl/pkg/cmd/plugin"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"

	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/trace"
)

// kubectlPlugins are the programs kubectl-NAME that `kubectl NAME` starts where upstream has no such command. Upstream
// decides which it is (HandlePluginCommand) and looks for it on the machine; here it is one of the command's own, as of a
// credential plugin.
type kubectlPlugins struct {
	ctx context.Context
	p   *program.Process
	t   *tracer
}

var _ cmd.PluginHandler = kubectlPlugins{}

// Lookup implements cmd.PluginHandler.
func (k kubectlPlugins) Lookup(name string) (string, bool) {
	if strings.Contains(name, "/") {
		return "", false // the name of a command, and no place
	}
	for _, prefix := range upstream.ValidPluginFilenamePrefixes {
		full := prefix + "-" + name
		if k.p.Lookup != nil {
			if _, ok := k.p.Lookup(full); ok {
				return full, true
			}
		}
		for _, dir := range programs(k.p) {
			if file := path.Join(dir, full); executable(k.p, file) == nil {
				return file, true
			}
		}
	}
	return "", false
}

// Execute implements cmd.PluginHandler. As upstream's, which becomes the plugin, it returns only if that cannot be: the
// command ends with the plugin's exit code. It has the command's environment, not the process's.
func (k kubectlPlugins) Execute(name string, args, _ []string) error {
	run, argv, ok := startable(k.p, name, args)
	if !ok {
		return fmt.Errorf("start the plugin %s: there is no shell to start it by", name)
	}
	words := k.p.Args[:len(k.p.Args)-len(args)] // its name's
	ctx := trace.With(k.ctx, k.t.plugin(strings.Join(words, " "), trace.Carried(k.ctx)))
	code := start(ctx, run, k.p, k.p.Child(argv...))
	if err := context.Cause(k.ctx); err != nil {
		return err
	}
	fatal(exit{code: code})
	return nil
}

// run starts the plugin that args mean, if upstream has no such command and there is one, and does not return then.
// (NewDefaultKubectlCommandWithArgs, which ends the process where this ends the command.)
func (k kubectlPlugins) run(args []string) error {
	if !k.any(args) {
		return nil
	}
	root, forget := k.tree()
	defer forget()
	c, rest, err := root.Find(args)
	if err != nil {
		if slices.Contains([]string{"help", cobra.ShellCompRequestCmd, cobra.ShellCompNoDescRequestCmd}, args[0]) {
			return nil
		}
		return cmd.HandlePluginCommand(k, args, 1)
	}
	if !cmd.IsSubcommandPluginAllowed(c.Name()) || len(rest) == 0 || strings.HasPrefix(rest[0], "-") {
		return nil
	}
	if slices.ContainsFunc(c.Commands(), func(sub *cobra.Command) bool { return sub.Name() == rest[0] }) {
		return nil
	}
	return cmd.HandlePluginCommand(k, args, len(args)-len(rest)+1)
}

// any tells whether some plugin's name begins with the first word, so that it is worth while to ask upstream's tree.
func (k kubectlPlugins) any(args []string) bool {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return false
	}
	begins := strings.ReplaceAll(args[0], "-", "_")
	return slices.ContainsFunc(k.list(), func(file string) bool {
		_, name, _ := strings.Cut(path.Base(file), "-")
		return name == begins || strings.HasPrefix(name, begins+"-")
	})
}

// list are the plugins that there are, by their places.
func (k kubectlPlugins) list() []string {
	var found []string
	is := func(name string) bool {
		return slices.ContainsFunc(upstream.ValidPluginFilenamePrefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix+"-") })
	}
	for _, name := range k.p.Programs {
		if is(name) && (k.p.Absent == nil || !k.p.Absent(name)) {
			found = append(found, "/bin/"+name)
		}
	}
	for _, dir := range programs(k.p) {
		entries, err := k.p.FS.ReadDir(dir)
		if err != nil {
			continue // a directory of PATH need not be there
		}
		for _, e := range entries {
			if file := path.Join(dir, e.Name()); is(e.Name()) && executable(k.p, file) == nil {
				found = append(found, file)
			}
		}
	}
	return found
}

// tree is upstream's of commands, to look something up in; forget is called when that is done.
func (k kubectlPlugins) tree() (root *cobra.Command, forget func()) {
	root = cmd.NewKubectlCommand(cmd.KubectlOptions{
		ConfigFlags: genericclioptions.NewConfigFlags(true), Arguments: k.p.Args,
		IOStreams: genericiooptions.IOStreams{In: strings.NewReader(""), Out: io.Discard, ErrOut: io.Discard},
	})
	completed := &completions{}
	completed.add(root)
	return root, completed.forget
}

// replaceList has `kubectl plugin list` tell of the command's plugins, in upstream's words, where upstream lists those
// in the directories of the machine.
func (k kubectlPlugins) replaceList(root *cobra.Command) error {
	c, err := find(root, "plugin list")
	if err != nil {
		return err
	}
	c.Run = func(c *cobra.Command, _ []string) {
		found := k.list()
		if len(found) == 0 {
			cmdutil.CheckErr(errors.New("error: unable to find any kubectl plugins in your PATH"))
		}
		short, _ := c.Flags().GetBool("name-only")
		fmt.Fprint(k.p.Stdout, "The following compatible plugins are available:\n\n")
		for _, file := range found {
			if short {
				file = path.Base(file)
			}
			fmt.Fprintln(k.p.Stdout, file)
		}
	}
	return nil
}
