package image

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/tabernetes/tabernetes/core/program"
)

const modeTmp = fs.ModeDir | fs.ModeSticky | 0o777

// multicall is a program that is whichever tool its argv[0] names; under its own name it runs
// the tool that its first argument names, and lists them without one.
func multicall(self string, tools map[string]program.Program) program.Program {
	return func(ctx context.Context, p *program.Process) int {
		name := path.Base(p.Args[0])
		if tool, ok := tools[name]; ok && name != self {
			return tool(ctx, p)
		}
		if len(p.Args) < 2 || strings.HasPrefix(p.Args[1], "-") {
			fmt.Fprintf(p.Stdout, "%s: the tab's own tools in one program.\nUsage: %s [function [arguments]...]\n\n"+
				"Currently defined functions:\n\t%s\n", self, self, strings.Join(names(tools), ", "))
			return 0
		}
		tool, ok := tools[p.Args[1]]
		if !ok {
			fmt.Fprintf(p.Stderr, "%s: applet not found\n", p.Args[1])
			return 127
		}
		return tool(ctx, p.Child(p.Args[1:]...))
	}
}

// hello prints a greeting and ends.
func hello(_ context.Context, p *program.Process) int {
	fmt.Fprint(p.Stdout, `
Hello from Tabernetes!
This message shows that your cluster works.

To write it, these things happened, all of them in this browser tab:
 1. The API server stored a Pod.
 2. The scheduler chose a node for it.
 3. The kubelet of that node asked its container runtime for the image and a container.
 4. The container ran the program that wrote these lines, and ended.

Now try a container that stays:
 $ kubectl run -it --rm --image=busybox shell -- sh

`)
	return 0
}

// Pause waits until it is asked to end, and ends with code 0.
func Pause(ctx context.Context, p *program.Process) int {
	p.Waits()
	for {
		select {
		case <-ctx.Done():
			return 128 + int(program.SIGKILL)
		case s := <-p.Signals:
			if s == program.SIGTERM || s == program.SIGINT {
				return 0
			}
		}
	}
}

// Idle says that the tab does not know what it was asked to run, and waits until it is asked
// to end.
func Idle(ctx context.Context, p *program.Process) int {
	name := p.Getenv(EnvImage)
	if name == "" {
		name = "this image"
	}
	fmt.Fprintf(p.Stdout, "tabernetes: %s is not known to the tab; this is a stand-in.\n", name)
	if command := strings.TrimSpace(strings.TrimPrefix(strings.Join(p.Args, " "), idlePath)); command != "" {
		fmt.Fprintf(p.Stdout, "tabernetes: nothing here can run %q.\n", command)
	}
	fmt.Fprintln(p.Stdout, "tabernetes: the container idles until it is stopped; it listens on no port.")
	code := Pause(ctx, p)
	if code == 0 {
		fmt.Fprintln(p.Stdout, "tabernetes: asked to end; ending.")
	}
	return code
}

// idlePath is the entrypoint of images that the tab does not know.
const idlePath = "/idle"

// idleEntry is that entrypoint: arguments that begin with one of the tab's tools are run, as
// most images would do; else it is Idle.
func idleEntry(ctx context.Context, p *program.Process) int {
	if len(p.Args) > 1 && p.Lookup != nil {
		if prog, ok := p.Lookup(p.Args[1]); ok {
			return prog(ctx, p.Child(p.Args[1:]...))
		}
	}
	return Idle(ctx, p)
}

// EnvImage is the variable in which a container that idles finds its image's name.
const EnvImage = "TABERNETES_IMAGE"
