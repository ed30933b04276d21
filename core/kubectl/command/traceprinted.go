package command

import (
	"encoding/json"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"

	"github.com/tabernetes/tabernetes/core/trace"
)

// printed is called with each object that a command prints. With --dry-run=client that is the only moment at which
// what it made of its flags and files can be seen: no request brings it.
func printed(obj runtime.Object) {
	if found, ok := running.Load(goroutineLabels()); ok {
		found.(*owned).t.printed(obj)
	}
}

func (t *tracer) printed(obj runtime.Object) {
	if t == nil || obj == nil {
		return
	}
	t.mu.Lock()
	c := t.command
	t.mu.Unlock()
	if c == nil || !dryRunByClient(c) {
		return // what is printed is the server's
	}
	command := c.CommandPath()
	kind := objectsBy[command]
	if kind == nil || command == "kubectl drain" {
		return // and that of these, too: of nodes and pods that are there, of what would be changed
	}
	kind = kindBy(objectsBy, command+" --dry-run=client", kind)
	for _, g := range generatedBy(obj) {
		t.bus.Add(trace.Step{Kind: kind, Component: component, Cause: t.id, Details: g})
	}
}

// dryRunByClient is whether a command sends nothing.
func dryRunByClient(c *cobra.Command) bool {
	if c.Flags().Lookup("dry-run") == nil {
		return false
	}
	strategy, err := cmdutil.GetDryRunStrategy(c)
	return err == nil && strategy == cmdutil.DryRunClient
}

// generatedBy are the details of an object, or of each of a list; none for long ones.
func generatedBy(obj runtime.Object) (all []*Generated) {
	text, err := json.Marshal(obj)
	tree := map[string]any{}
	if err != nil || len(text) > maxObject || json.Unmarshal(text, &tree) != nil {
		return nil
	}
	one := func(tree map[string]any, bytes int) {
		if g := generatedOf(tree, "", bytes); g != nil {
			g.DryRun = "client"
			all = append(all, g)
		}
	}
	items, ok := tree["items"].([]any)
	if !ok || tree["kind"] != "List" {
		one(tree, len(text))
		return all
	}
	for _, item := range items {
		if tree, ok := item.(map[string]any); ok {
			one(tree, len(text)/len(items))
		}
	}
	return all
}
