package command

import (
	"context"
	"io"
	"net/url"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/kubectl/pkg/cmd/attach"
	"k8s.io/kubectl/pkg/cmd/exec"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"

	"github.com/tabernetes/tabernetes/core/program"
)

// streaming runs upstream's exec and attach with an end and a terminal of this command: upstream
// streams on a context that nothing cancels, and takes only an *os.File for a terminal.
type streaming struct {
	ctx     context.Context
	p       *program.Process
	factory cmdutil.Factory
	streams genericiooptions.IOStreams
}

// replace gives exec and attach below root our streaming; their options, their defaults and
// their way to the pod stay upstream's.
func (s streaming) replace(root *cobra.Command) error {
	for name, run := range map[string]func(*cobra.Command, []string){"exec": s.exec, "attach": s.attach} {
		c, err := find(root, name)
		if err != nil {
			return err
		}
		c.Run = run
	}
	return nil
}

// flags reads what -i, -t, -q and -c were given. Upstream's own code never hears of a terminal
// that it could not handle.
func (s streaming) flags(c *cobra.Command) (o exec.StreamOptions, terminal program.Terminal) {
	o.IOStreams = s.streams
	o.Stdin, _ = c.Flags().GetBool("stdin")
	o.TTY, _ = c.Flags().GetBool("tty")
	o.Quiet, _ = c.Flags().GetBool("quiet")
	o.ContainerName, _ = c.Flags().GetString("container")
	if o.Stdin && o.TTY && s.p.Terminal != nil {
		return o, s.p.Terminal
	}
	return o, nil
}

// exec is the Run of k8s.io/kubectl/pkg/cmd/exec, NewCmdExec.
func (s streaming) exec(c *cobra.Command, args []string) {
	streams, terminal := s.flags(c)
	streams.TTY = streams.TTY && terminal == nil // upstream then says why not
	o := &exec.ExecOptions{StreamOptions: streams, Executor: &executor{streaming: s, terminal: terminal}}
	o.Filenames, _ = c.Flags().GetStringSlice("filename")
	cmdutil.CheckErr(o.Complete(s.factory, c, args, c.ArgsLenAtDash()))
	cmdutil.CheckErr(o.Validate())
	cmdutil.CheckErr(o.Run())
}

// attach is the Run of k8s.io/kubectl/pkg/cmd/attach, NewCmdAttach.
func (s streaming) attach(c *cobra.Command, args []string) {
	streams, terminal := s.flags(c)
	streams.TTY = streams.TTY && terminal == nil
	o := attach.NewAttachOptions(s.streams)
	o.StreamOptions = streams
	o.Attach = &executor{streaming: s, terminal: terminal}
	o.DetachKeys, _ = c.Flags().GetString("detach-keys")
	cmdutil.CheckErr(o.Complete(s.factory, c, args))
	cmdutil.CheckErr(o.Validate())
	cmdutil.CheckErr(o.Run())
}

// executor streams as upstream's exec does, until the command's context is done.
type executor struct {
	streaming
	terminal program.Terminal // nil: not on a terminal
}

var (
	_ exec.RemoteExecutor = (*executor)(nil)
	_ attach.RemoteAttach = (*executor)(nil)
)

// Execute implements exec.RemoteExecutor.
func (e *executor) Execute(to *url.URL, config *rest.Config, in io.Reader, out, errOut io.Writer, tty bool, sizes remotecommand.TerminalSizeQueue) error {
	return e.ExecuteWithContext(e.ctx, to, config, in, out, errOut, tty, sizes)
}

// Attach implements attach.RemoteAttach.
func (e *executor) Attach(to *url.URL, config *rest.Config, in io.Reader, out, errOut io.Writer, tty bool, sizes remotecommand.TerminalSizeQueue) error {
	return e.ExecuteWithContext(e.ctx, to, config, in, out, errOut, tty, sizes)
}

// ExecuteWithContext implements exec.RemoteExecutor.
func (e *executor) ExecuteWithContext(ctx context.Context, to *url.URL, config *rest.Config, in io.Reader, out, errOut io.Writer, tty bool, sizes remotecommand.TerminalSizeQueue) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if in != nil {
		// Upstream leaves a goroutine that reads: it must not take the next command's input.
		in = program.NewInput(in).Reader(ctx)
	}
	if e.terminal != nil {
		to, tty, errOut, sizes = withTTY(to), true, nil, &sizeQueue{ctx: ctx, terminal: e.terminal}
		e.terminal.Raw(true)
		defer e.terminal.Raw(false)
	}
	return new(exec.DefaultRemoteExecutor).ExecuteWithContext(ctx, to, config, in, out, errOut, tty, sizes)
}

// withTTY asks for a terminal: its output is one stream.
func withTTY(to *url.URL) *url.URL {
	asked := *to
	query := asked.Query()
	query.Set("tty", "true")
	query.Del("stderr")
	asked.RawQuery = query.Encode()
	return &asked
}

// sizeQueue tells the remote side the terminal's size, at first and when it changes.
type sizeQueue struct {
	ctx      context.Context
	terminal program.Terminal
	told     bool
}

var _ remotecommand.TerminalSizeQueue = (*sizeQueue)(nil)

// Next implements remotecommand.TerminalSizeQueue.
func (q *sizeQueue) Next() *remotecommand.TerminalSize {
	if q.told {
		select {
		case <-q.terminal.Resized():
		case <-q.ctx.Done():
			return nil
		}
	}
	q.told = true
	cols, rows := q.terminal.Size()
	return &remotecommand.TerminalSize{Width: uint16(cols), Height: uint16(rows)}
}
