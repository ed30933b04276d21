package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// overrides are the commands of upstream's tree that are changed here, with what upstream does and
// what is done instead. An upgrade that moves one of them fails in find, and in
// TestOverridesAreUpstreams, which also walks the tree for commands that are new.
var overrides = []override{
	{"exec", "streams on a context that nothing cancels, to an *os.File as terminal", "streaming.go"},
	{"attach", "streams on a context that nothing cancels, to an *os.File as terminal", "streaming.go"},
	{"run", "attaches by options of its own, which know no terminal", "attached.go"},
	{"debug", "attaches by options of its own, which know no terminal", "attached.go"},
	{"diff", "runs the program diff", "diff.go"},
	{"auth can-i", "ends the process with os.Exit(1) for no", "exits.go"},
	{"config", "finds $KUBECONFIG and the home directory in the process", "kubeconfig.go"},
	{"config view", "reads files that kubeconfigs name, of the process", "kubeconfig.go"},
	{"config set-cluster", "keeps paths of the process", "kubeconfig.go"},
	{"config set-credentials", "keeps paths of the process", "kubeconfig.go"},
	{"cp", "opens local paths of the process", "arguments.go"},
	{"kustomize", "opens local paths of the process", "arguments.go"},
	{"plugin list", "lists the directories of the machine", "kubectlplugins.go"},
	{"logs", "registers no completion of -c", "complete.go"},
}

type override struct {
	// command is its path below kubectl.
	command string
	// upstream is what it does there.
	upstream string
	// file is where ours is.
	file string
}

// find gives a command of upstream's tree that must be there, and must be in overrides.
func find(root *cobra.Command, name string) (*cobra.Command, error) {
	if !slices.ContainsFunc(overrides, func(o override) bool { return o.command == name }) {
		return nil, fmt.Errorf("kubectl %s is changed here, but is not in the table of what is", name)
	}
	words := strings.Fields(name)
	c, rest, err := root.Find(words)
	if err != nil || len(rest) > 0 || c.Name() != words[len(words)-1] {
		return nil, fmt.Errorf("kubectl has no command %q any more, which is changed here", name)
	}
	return c, nil
}
