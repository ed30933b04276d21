package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strings"
	"sync"
	"unsafe" // for go:linkname

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

// running has the commands by the labels of their goroutines.
var running sync.Map // labels → *owned

// owned is a command that runs.
type owned struct {
	goroutine string // the number of its first one
	end       func(exit)
	t         *tracer
}

// labels stand for a goroutine's set of labels (runtime/pprof). A goroutine inherits the set of the
// one that starts it, so that all that a command starts, at whatever remove, has the command's.
type labels unsafe.Pointer

//go:linkname goroutineLabels runtime/pprof.runtime_getProfLabel
func goroutineLabels() labels

// asCommand runs f. A fatal error in it unwinds f; one in a goroutine that it has started is given
// to end, and ends that goroutine.
func asCommand(ctx context.Context, t *tracer, end func(exit), f func()) {
	pprof.SetGoroutineLabels(pprof.WithLabels(ctx, pprof.Labels("command", "kubectl")))
	own := goroutineLabels()
	running.Store(own, &owned{goroutine(), end, t})
	defer running.Delete(own)
	f()
}

// fatal ends the goroutine that calls it and the command that it is of. A command unwinds; a goroutine
// that it has started (those of cp, which pack and unpack) cannot, and would end the whole process.
func fatal(e exit) {
	found, ok := running.Load(goroutineLabels())
	if !ok {
		klog.ErrorS(nil, "A command that has ended failed", "message", e.message, "code", e.code)
		runtime.Goexit()
	}
	command := found.(*owned)
	if command.goroutine == goroutine() {
		panic(e)
	}
	command.end(e)
	runtime.Goexit()
}

var goroutineNumber = regexp.MustCompile(`^goroutine (\d+) `)

// goroutine is the number of the one that calls; a stack is the only place that tells.
func goroutine() string {
	if m := goroutineNumber.FindSubmatch(debug.Stack()); m != nil {
		return string(m[1])
	}
	return ""
}

// ended gives the exit code of a command that unwound with r, and tells of its refusal, if it is one.
func ended(r any, stderr io.Writer, t *tracer) int {
	e, ok := r.(exit)
	if !ok {
		fmt.Fprintf(stderr, "kubectl panicked: %v\n%s", r, debug.Stack())
		return 2
	}
	t.refused(e.message)
	if e.message != "" {
		fmt.Fprintln(stderr, strings.TrimSuffix(e.message, "\n"))
	}
	return e.code
}
