package command

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/kubectl/pkg/cmd/diff"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"
	"k8s.io/utils/exec"

	"github.com/tabernetes/tabernetes/core/program"
	shelldiff "github.com/tabernetes/tabernetes/core/shell/diff"
)

// replaceDiff gives `diff`, which runs the program of that name (k8s.io/kubectl/pkg/cmd/diff,
// DiffProgram), ours: there are no processes to run.
func replaceDiff(root *cobra.Command, f cmdutil.Factory, streams genericiooptions.IOStreams) error {
	c, err := find(root, "diff")
	if err != nil {
		return err
	}
	c.Run = func(c *cobra.Command, args []string) {
		o := diff.NewDiffOptions(streams)
		o.Diff.Exec = differ{ctx: program.Yield(c.Context())}
		flags := c.Flags()
		o.FilenameOptions.Filenames, _ = flags.GetStringSlice("filename")
		o.FilenameOptions.Kustomize, _ = flags.GetString("kustomize")
		o.FilenameOptions.Recursive, _ = flags.GetBool("recursive")
		o.FieldManager, _ = flags.GetString("field-manager")
		o.Selector, _ = flags.GetString("selector")
		o.Concurrency, _ = flags.GetInt("concurrency")
		o.ShowManagedFields, _ = flags.GetBool("show-managed-fields")
		o.ShowSecrets, _ = flags.GetBool("show-secrets")
		cmdutil.CheckDiffErr(o.Complete(f, c, args))
		cmdutil.CheckDiffErr(o.Validate())
		err := o.Run()
		if e, ok := errors.AsType[exec.ExitError](err); ok && e.ExitStatus() == 1 {
			cmdutil.CheckErr(cmdutil.ErrExit)
		}
		cmdutil.CheckDiffErr(err)
	}
	return nil
}

// differ is an exec.Interface whose one program compares the directories that are its last two
// arguments.
type differ struct {
	exec.Interface
	ctx context.Context
}

// Command implements exec.Interface.
func (d differ) Command(_ string, args ...string) exec.Cmd {
	return &comparison{ctx: d.ctx, from: args[len(args)-2], to: args[len(args)-1]}
}

type comparison struct {
	exec.Cmd
	ctx      context.Context
	from, to string
	streams  genericiooptions.IOStreams
}

// SetStdout implements exec.Cmd.
func (c *comparison) SetStdout(w io.Writer) { c.streams.Out = w }

// SetStderr implements exec.Cmd.
func (c *comparison) SetStderr(w io.Writer) { c.streams.ErrOut = w }

// Run implements exec.Cmd.
func (c *comparison) Run() error {
	differ, err := shelldiff.Trees(shelldiff.Limits{Context: c.ctx}, c.streams.Out,
		shelldiff.Side{Name: c.from, FS: os.DirFS(c.from), Path: "."},
		shelldiff.Side{Name: c.to, FS: os.DirFS(c.to), Path: "."})
	if err == nil && differ {
		return differences{}
	}
	return err
}

// differences is the exit code of a diff that found some.
type differences struct{}

var _ exec.ExitError = differences{}

func (differences) Error() string   { return "exit status 1" }
func (differences) String() string  { return "exit status 1" }
func (differences) Exited() bool    { return true }
func (differences) ExitStatus() int { return 1 }
