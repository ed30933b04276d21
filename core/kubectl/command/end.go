package command

import (
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"sync"

	cmdutil "k8s.io/kubectl/pkg/cmd/util"
)

// exit is how a command ends in the middle: upstream calls a function of the package for that,
// which by default ends the process (k8s.io/kubectl/pkg/cmd/util, BehaviorOnFatal).
type exit struct {
	message string
	code    int
}

// captureEnd makes a fatal error unwind the goroutine of its own command only.
var captureEnd = sync.OnceFunc(func() {
	cmdutil.BehaviorOnFatal(func(message string, code int) { panic(exit{message, code}) })
	// kubectl's own preferences (kuberc) are read from the home of the process's user, and a
	// mistake in them ends the process (k8s.io/kubectl/pkg/cmd, NewKubectlCommand).
	_ = os.Setenv(string(cmdutil.KubeRC), "false")
})

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
