package join

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/nodehost/nodetest"
)

// testGuidedTree has the guide's Deployment run on a real node, given to the cluster from outside of it: its tree is
// that of core/cluster's table, with the same causes, and ends in three containers that the node tells of.
func (r *rig) testGuidedTree(t *testing.T, h *host) {
	r.apply(t, guided.yaml())
	// Who sent it is another one than in the table; of so many requests of others it is looked at what they changed.
	lines := treeOfARealNode(t, "apiserver.request deployments default/guided", "authentication.accepted {", "authorization.allowed {")
	lines = slices.DeleteFunc(lines, func(line string) bool {
		kind := strings.TrimLeft(line, " ")
		return strings.HasPrefix(kind, "apiserver.decoded") || strings.HasPrefix(kind, "registry.created")
	})
	grows(t, r, h, lines)
}

// testGuidedTreeOfTheTab is the same for what is typed into the tab: it begins with the command.
func (r *rig) testGuidedTreeOfTheTab(t *testing.T, h *host) {
	r.Type(t, "kubectl create -f - <<'END'\n"+guided.yaml()+"\nEND")
	// create -f asks which resources there are, and nothing says how its line reads.
	grows(t, r, h, treeOfARealNode(t, "kubectl.command", "kubectl.command", "kubectl.discovery"))
}

// guided is what the guide's command makes, for a real node that has the image.
var guided = nginxPods{name: "guided", replicas: 3, pod: []string{onAnyRealNodes, "terminationGracePeriodSeconds: 0"}}

// treeLine is a line of the table: how deep, how often at least, which kind, and what stands in it.
var treeLine = regexp.MustCompile(`^( *)(?:(\d+) x )?(\S+)(?: (.*))?$`)

// treeOfARealNode is the guide's command in core/cluster's table, from a line on. A real node tells of its runtime and
// of its plugins, and not of what is within its kubelet; it has the image. What begins with one of vague is wanted
// by its kind alone.
func treeOfARealNode(t *testing.T, from string, vague ...string) (lines []string) {
	t.Helper()
	text, err := os.ReadFile("../../core/cluster/testdata/trees.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct{ Steps []string }
	if err := json.Unmarshal(text, &rows); err != nil {
		t.Fatal(err)
	}
	all := rows[0].Steps
	first := slices.IndexFunc(all, func(line string) bool { return strings.HasPrefix(strings.TrimLeft(line, " "), from) })
	if first < 0 {
		t.Fatalf("the table has no %q", from)
	}
	var left []int // how deep what was left out stood, of those that are above
	top := len(treeLine.FindStringSubmatch(all[first])[1]) / 2
	for _, line := range all[first:] {
		m := treeLine.FindStringSubmatch(line)
		deep := len(m[1]) / 2
		if deep < top || deep == top && len(lines) > 0 {
			break
		}
		left = slices.DeleteFunc(left, func(above int) bool { return above >= deep })
		if strings.HasPrefix(m[3], "kubelet.") || m[3] == "cri.PullImage" || m[3] == "cri.pause" {
			left = append(left, deep)
			continue
		}
		kind, said := m[3], m[4]
		if kind == "cni.network" { // of all plugins together
			kind, said = "cni.plugin", `"plugin":"bridge"`
		}
		for _, v := range vague {
			if strings.HasPrefix(kind+" "+said, v) {
				said = ""
			}
		}
		times := ""
		if m[2] != "" {
			times = m[2] + " x "
		}
		lines = append(lines, strings.TrimRight(strings.Repeat("  ", deep-top-len(left))+times+kind+" "+said, " "))
	}
	if n := len(lines); n < 20 || !slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, "3 x cri.StartContainer") }) {
		t.Fatalf("the table has %d lines of what a real node tells:\n%s", n, strings.Join(lines, "\n"))
	}
	return lines
}

// grows waits until a tree has all of what is expected, each below what it is expected to be caused by, and takes the
// Deployment away again.
func grows(t *testing.T, r *rig, h *host, lines []string) {
	t.Helper()
	t.Cleanup(func() { r.Kubectl(t, "kubectl delete deploy/guided --wait=true --timeout=60s") })
	var problem string
	for end := time.Now().Add(nodetest.Patience); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		if problem = lacks(r.steps(t), lines, h.NodeName); problem == "" {
			return
		}
	}
	t.Fatalf("%s\nof\n%s", problem, strings.Join(lines, "\n"))
}

// lacks says what is not in a tree of what is expected; "" is nothing. Calls of runtime and plugins have to be told by
// the node.
func lacks(all []told, lines []string, node string) string {
	var path [][]int64 // of each depth, what was found
	causes := make(map[int64]int64, len(all))
	for _, s := range all {
		causes[s.ID] = s.Cause
	}
	below := func(id int64, above []int64) bool {
		for id = causes[id]; id != 0; id = causes[id] {
			if slices.Contains(above, id) {
				return true
			}
		}
		return false
	}
	for _, line := range lines {
		m := treeLine.FindStringSubmatch(line)
		deep, want := len(m[1])/2, 1
		if m[2] != "" {
			fmt.Sscan(m[2], &want)
		}
		path = path[:deep]
		var found []int64
		for _, s := range all {
			if s.Kind != m[3] || !strings.Contains(s.line, m[4]) && !strings.Contains(s.about(), m[4]) {
				continue
			}
			if runs := strings.HasPrefix(s.Kind, "cri.") || strings.HasPrefix(s.Kind, "cni."); runs && (!s.Told || s.Node != node) {
				continue
			}
			if deep == 0 || below(s.ID, path[deep-1]) {
				found = append(found, s.ID)
			}
		}
		if len(found) < want {
			return fmt.Sprintf("%q was found %d times", line, len(found))
		}
		path = append(path, found)
	}
	return ""
}

// about is the step's object as the table writes it: "pods/status default/guided-7d9".
func (s *told) about() string {
	resource, name := s.Object.Resource, s.Object.Name
	if s.Object.Subresource != "" {
		resource += "/" + s.Object.Subresource
	}
	if s.Object.Namespace != "" {
		name = s.Object.Namespace + "/" + name
	}
	return resource + " " + name
}
