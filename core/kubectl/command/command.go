package command

import (
	"context"
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/rest"
	"k8s.io/kubectl/pkg/cmd"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"

	_ "github.com/tabernetes/tabernetes/core/kubectl/english" // before kubectl itself
	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/trace"
	"github.com/tabernetes/tabernetes/core/version"
)

// Options say where kubectl finds what it keeps under ~/.kube.
type Options struct {
	// Kubeconfig and CacheDir are paths in the process's file system.
	Kubeconfig, CacheDir string
	// Trace is told what a command does; nil for nobody.
	Trace *trace.Bus
}

// userAgent is what upstream derives from a process named kubectl.
var userAgent = fmt.Sprintf("kubectl/%s (%s/%s) kubernetes/archive", version.Kubernetes, runtime.GOOS, runtime.GOARCH)

// New returns kubectl as a program.
func New(o Options) program.Program {
	captureEnd()
	announceDefaults()
	installGenerators()
	return func(ctx context.Context, p *program.Process) int { return o.run(ctx, p) }
}

func (o Options) run(ctx context.Context, p *program.Process) (code int) {
	t := startTrace(ctx, o.Trace)
	defer func() { t.exit(code) }()
	done := make(chan int, 1)
	end := func(code int) {
		select {
		case done <- code:
		default: // it has ended before
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	out, errOut := &gate{ctx: ctx, w: p.Stdout}, &gate{ctx: ctx, w: p.Stderr}
	defer out.close()
	defer errOut.close()
	p.Stdout, p.Stderr = out, errOut
	// Upstream looks at a context in some places only: a command that does not is left behind,
	// and ends at its next request because the transport looks.
	go func() {
		defer func() {
			if r := recover(); r != nil {
				end(ended(r, p.Stderr, t))
			}
		}()
		asCommand(ctx, t, func(e exit) { end(ended(e, p.Stderr, t)) }, func() { end(o.execute(ctx, p, t)) })
	}()
	select {
	case code := <-done:
		return code
	case <-ctx.Done():
		return interrupted
	}
}

// interrupted is a shell's exit code for a command that SIGINT ended.
const interrupted = 130

func (o Options) execute(ctx context.Context, p *program.Process, t *tracer) int {
	extensions := kubectlPlugins{ctx: ctx, p: p, t: t}
	if err := extensions.run(p.Args[1:]); err != nil {
		fmt.Fprintf(p.Stderr, "Error: %v\n", err)
		return 1
	}
	paths := pathsOf(p)
	args, level := verbosity(paths.rewrite(p.Args[1:]))
	args, include, retired := uninitialized(args)
	in, args, done, err := paths.stdin(args)
	if err != nil {
		fmt.Fprintf(p.Stderr, "error: read standard input: %v\n", err)
		return 1
	}
	defer done()
	files := paths.kubeconfigs(o.Kubeconfig)
	p.Stderr = paths.messages(p.Stderr)
	if retired {
		fmt.Fprint(p.Stderr, retiredFlag)
	}

	tty := &attached{terminal: p.Terminal}
	defer tty.end()
	defer takeOverEditor(ctx, p, args)()
	plugins := &plugins{ctx: ctx, p: p, t: t, typed: len(manifests(p.Args[1:])) > 0}
	root, forget, err := o.root(ctx, p, paths, files, level, include, in, tty, plugins, t)
	if err != nil {
		fmt.Fprintf(p.Stderr, "error: %v\n", err)
		return 1
	}
	defer forget()
	older := olderRun(root, args, p.Stderr)
	t.name(root, args, paths.asTyped)
	if older != nil {
		t.refused(older.Error())
		fmt.Fprintf(p.Stderr, "error: %v\n", older)
		return 1
	}
	plugins.streams = streams(root, args)
	root.SetArgs(args)
	if err := root.ExecuteContext(ctx); err != nil {
		cmdutil.CheckErr(err) // ends by panic, see end.go
	}
	return 0
}

// root builds upstream's whole command tree for one process, with the kubeconfigs in files; forget is
// called when the command has ended.
func (o Options) root(ctx context.Context, p *program.Process, paths paths, files []string, level int, include bool, in io.Reader, tty *attached, plugins *plugins, t *tracer) (root *cobra.Command, forget func(), err error) {
	cache, err := paths.host(o.CacheDir)
	if err != nil {
		return nil, nil, err
	}
	read := &kubeconfigFiles{paths: paths}
	defer func() {
		if err != nil {
			read.remove()
		}
	}()
	kubeconfig, err := read.merged(files)
	if err != nil {
		return nil, nil, err
	}
	streams := genericiooptions.IOStreams{In: in, Out: p.Stdout, ErrOut: p.Stderr}
	record := &recording{}
	warn := warnings{rest.NewWarningWriter(p.Stderr, rest.WarningWriterOptions{Deduplicate: true}), p.Stderr}
	asked := &identity{ctx: ctx, p: p, typed: plugins.typed}
	by := &choices{files: files, merged: kubeconfig, typed: paths.typed}
	flags := genericclioptions.NewConfigFlags(true).
		WithDeprecatedPasswordFlag().
		WithDiscoveryBurst(300).WithDiscoveryQPS(50.0).
		WithWarningPrinter(streams).
		WithWrapConfigFn(func(c *rest.Config) *rest.Config {
			c.WarningHandler = warn
			c.UserAgent = userAgent
			if level >= 8 {
				// Bodies are shown: as text, where upstream's typed clients would ask for protobuf.
				c.AcceptContentTypes = "application/json"
			}
			if record.cause != "" {
				c.ContentType = "application/json" // not protobuf: it is put right
			}
			asked.take(c)
			told := t.wrapper(c, by)
			presents, identifies := plugins.take(c)
			c.Wrap(tty.wrapper()) // the first: it takes the socket itself
			c.Wrap(presents)
			c.Wrap(told) // below what -v shows: its header is nobody's business
			c.Wrap(debugging(level, coloured(p)))
			c.Wrap(including(include)) // -v shows it
			c.Wrap(record.wrapper())   // and this
			c.Wrap(identifies)         // and that there is a token
			c.Wrap(cancelling(ctx))
			return c
		})
	flags.KubeConfig, flags.CacheDir = &kubeconfig, &cache
	by.flags = flags

	root = cmd.NewKubectlCommand(cmd.KubectlOptions{ConfigFlags: flags, Arguments: p.Args, IOStreams: streams})
	// Upstream asks for a name and a password by itself where it has a place for a password. identity has it instead.
	asked.flag, flags.Password = flags.Password, nil
	completed := &completions{}
	completed.add(root)
	defer func() {
		if err != nil {
			completed.forget()
		}
	}()
	factory := cmdutil.NewFactory(cmdutil.NewMatchVersionFlags(flags))
	for _, change := range []func() error{
		func() error { return streaming{ctx: ctx, p: p, factory: factory, streams: streams}.replace(root) },
		func() error { return replaceExits(root, factory, streams) },
		func() error { return replaceDiff(root, factory, streams) },
		func() error { return kubectlPlugins{ctx: ctx, p: p, t: t}.replaceList(root) },
		func() error { return completeContainers(root, factory) },
		func() error { return paths.arguments(root) },
		func() error { return tty.watch(root) },
	} {
		if err := change(); err != nil {
			return nil, nil, err
		}
	}
	unset, err := paths.replaceConfig(root, flags, streams, files)
	if err != nil {
		return nil, nil, err
	}
	if err := read.replaceFlag(root); err != nil {
		return nil, nil, err
	}
	root.SetIn(in)
	root.SetErr(p.Stderr)
	root.SilenceErrors, root.SilenceUsage = true, true
	root.PersistentFlags().IntP("v", "v", 0, "number for the log level verbosity") // taken by verbosity before
	keepWarningsApart(root)
	keepDeprecationsApart(root, p)
	record.watch(root, p.Args, p.Stderr)
	completed.add(root) // with what took the place of upstream's
	return root, func() { unset(); read.remove(); completed.forget() }, nil
}

// keepWarningsApart undoes what upstream's pre-run does to the whole process: warnings of the
// components would otherwise be written to this command's standard error.
func keepWarningsApart(root *cobra.Command) {
	upstream := root.PersistentPreRunE
	root.PersistentPreRunE = func(c *cobra.Command, args []string) error {
		defer rest.SetDefaultWarningHandler(rest.NoWarnings{})
		return upstream(c, args)
	}
}

// keepDeprecationsApart has cobra say on standard error that a flag is deprecated: where an output is set it says so
// there, while it reads the flags. Help and what runs have the output.
func keepDeprecationsApart(root *cobra.Command, p *program.Process) {
	root.SetOut(p.Stderr)
	help, run := root.HelpFunc(), root.PersistentPreRunE
	root.SetHelpFunc(func(c *cobra.Command, args []string) {
		root.SetOut(p.Stdout)
		help(c, args)
	})
	root.PersistentPreRunE = func(c *cobra.Command, args []string) error {
		root.SetOut(p.Stdout)
		return run(c, args)
	}
}
