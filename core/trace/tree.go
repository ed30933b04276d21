package trace

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Tree is a step with all that it caused.
type Tree struct {
	Step
	Children []*Tree // in the order in which they began
}

// Tree gives what the step id caused, directly or not, as far as it is held; nil if id itself is not.
// A step with several causes is drawn under the first of them only.
func (b *Bus) Tree(id ID) *Tree {
	steps, _ := b.All()
	return Grow(steps, id)
}

// Grow makes the tree of id from steps.
func Grow(steps []Step, id ID) *Tree {
	nodes := make(map[ID]*Tree, len(steps))
	for i := range steps {
		nodes[steps[i].ID] = &Tree{Step: steps[i]}
	}
	for i := range steps {
		// A cause began before what it caused: no step can be below itself.
		if n := nodes[steps[i].ID]; n.Cause < n.ID {
			if above := nodes[n.Cause]; above != nil {
				above.Children = append(above.Children, n)
			}
		}
	}
	for _, n := range nodes {
		slices.SortFunc(n.Children, func(a, b *Tree) int {
			return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID))
		})
	}
	return nodes[id]
}

// Walk visits the tree, each step before what it caused.
func (t *Tree) Walk(visit func(t *Tree, depth int)) { t.walk(visit, 0) }

func (t *Tree) walk(visit func(*Tree, int), depth int) {
	if t == nil {
		return
	}
	visit(t, depth)
	for _, c := range t.Children {
		c.walk(visit, depth+1)
	}
}

// String draws the tree for people who read a test.
func (t *Tree) String() string {
	var b strings.Builder
	t.Walk(func(n *Tree, depth int) {
		fmt.Fprintf(&b, "%s%s", strings.Repeat("  ", depth), n.Kind.Name)
		if o := n.Object; o.Resource != "" {
			fmt.Fprintf(&b, " %s", o.Resource)
			if o.Subresource != "" {
				fmt.Fprintf(&b, "/%s", o.Subresource)
			}
			fmt.Fprintf(&b, " %s", strings.TrimPrefix(o.Namespace+"/"+o.Name, "/"))
		}
		if n.Node != "" {
			fmt.Fprintf(&b, " on %s", n.Node)
		}
		if n.Took > 0 {
			fmt.Fprintf(&b, " %.2f ms", float64(n.Took.Microseconds())/1000)
		}
		if n.Inferred {
			b.WriteString(" (inferred)")
		}
		b.WriteByte('\n')
	})
	return b.String()
}
