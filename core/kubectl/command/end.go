package command

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"

	"k8s.io/klog/v2"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"
)

// exit is how a command ends in the middle: upstream calls a function of the package for that,
// which by default ends the process (k8s.io/kubectl/pkg/cmd/util, BehaviorOnFatal).
type exit struct {
	message string
	code    int
}

// captureEnd makes a fatal error end its own command only.
var captureEnd = sync.OnceFunc(func() {
	cmdutil.BehaviorOnFatal(func(message string, code int) { fatal(exit{message, code}) })
	// kubectl's own preferences (kuberc) are read from the home of the process's user, and a
	// mistake in them ends the process (k8s.io/kubectl/pkg/cmd, NewKubectlCommand).
	_ = os.Setenv(string(cmdutil.KubeRC), "false")
})

// running has, for the number of each goroutine that is a command, a function that ends the command.
var running sync.Map // string → func(exit)

// fatal ends the goroutine that calls it and the command that it is of. A command unwinds; a goroutine
// that it has started (those of cp, which pack and unpack) cannot, and would end the whole process.
func fatal(e exit) {
	own, parent := goroutine()
	if _, ok := running.Load(own); ok {
		panic(e)
	}
	if end, ok := running.Load(parent); ok {
		end.(func(exit))(e)
	} else {
		klog.ErrorS(nil, "A command that has ended failed", "message", e.message, "code", e.code)
	}
	runtime.Goexit()
}

var (
	ownNumber    = regexp.MustCompile(`^goroutine (\d+) `)
	parentNumber = regexp.MustCompile(`(?m)^created by .* in goroutine (\d+)$`)
)

// goroutine is the number of the one that calls, and of the one that has started it; empty if there is
// none. A stack is the only place that tells.
func goroutine() (own, parent string) {
	stack := debug.Stack()
	if m := ownNumber.FindSubmatch(stack); m != nil {
		own = string(m[1])
	}
	if m := parentNumber.FindSubmatch(stack); m != nil {
		parent = string(m[1])
	}
	return own, parent
}

// ended gives the exit code of a command that unwound with r.
func ended(r any, stderr io.Writer) int {
	e, ok := r.(exit)
	if !ok {
		fmt.Fprintf(stderr, "kubectl panicked: %v\n%s", r, debug.Stack())
		return 2
	}
	if e.message != "" {
		fmt.Fprintln(stderr, strings.TrimSuffix(e.message, "\n"))
	}
	return e.code
}
