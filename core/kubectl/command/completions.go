package command

import (
	"sync"
	_ "unsafe" // for go:linkname

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// cobra keeps the completion functions of flags in one table of the process, by the flag, and has no way
// to take one out (github.com/spf13/cobra, Command.RegisterFlagCompletionFunc). kubectl is a process that
// ends; here each command that was ever typed would stay, with its flags, its factory and its RESTMapper.

//go:linkname flagCompletionFunctions github.com/spf13/cobra.flagCompletionFunctions
var flagCompletionFunctions map[*pflag.Flag]cobra.CompletionFunc

//go:linkname flagCompletionMutex github.com/spf13/cobra.flagCompletionMutex
var flagCompletionMutex *sync.RWMutex

// completions are flags of one process's command tree that may be in cobra's table.
type completions []*pflag.Flag

// add takes in the flags of a command and of all below it, as they are now: a command that is replaced
// leaves its own behind in the table.
func (c *completions) add(root *cobra.Command) {
	take := func(f *pflag.Flag) { *c = append(*c, f) }
	root.Flags().VisitAll(take)
	root.PersistentFlags().VisitAll(take)
	for _, child := range root.Commands() {
		c.add(child)
	}
}

// forget takes them out.
func (c *completions) forget() {
	flagCompletionMutex.Lock()
	defer flagCompletionMutex.Unlock()
	for _, f := range *c {
		delete(flagCompletionFunctions, f)
	}
}
