package kubectl

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// meant says which of the terminal's programs somebody may have meant by a name that none has. They are compared as
// kubectl's commands are, by cobra, with at most two letters' difference, and fewer of short names.
func (t *Terminal) meant(name string) string {
	root := &cobra.Command{SuggestionsMinimumDistance: min(2, len(name)/2)}
	for known := range maps.Keys(t.programs) {
		if notHere[known] == "" {
			root.AddCommand(&cobra.Command{Use: known, Run: func(*cobra.Command, []string) {}})
		}
	}
	like := slices.DeleteFunc(root.SuggestionsFor(name), func(known string) bool {
		return len(known) > len(name)+2 // it only begins so
	})
	if len(like) == 0 || len(like) > 3 {
		return ""
	}
	slices.Sort(like)
	return "Did you mean " + strings.Join(like, ", or ") + "?"
}
