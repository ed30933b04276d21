package told

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/tabernetes/tabernetes/core/trace"
)

var ownKind = trace.Declare(trace.Kubelet, "test.own", trace.Place{})

// owned is how many steps of the cluster itself stand on the bus before nodes tell.
const owned = 500

// own puts them there, each found as a cause of others.
func own(bus *trace.Bus) {
	for i := range owned {
		id := bus.Reserve()
		bus.Wrote(id, int64(i+1), fmt.Sprint("own-", i), "")
		bus.Add(trace.Step{ID: id, Kind: ownKind})
	}
}

// whole fails the test unless all of them are there, and found.
func whole(t *testing.T, bus *trace.Bus) {
	t.Helper()
	steps, _ := bus.All()
	held, found := 0, 0
	for i := range steps {
		if steps[i].Kind == ownKind {
			held++
		}
	}
	for i := range owned {
		if id, _ := bus.Made(int64(i + 1)); id != 0 && bus.Latest(fmt.Sprint("own-", i)) == id {
			found++
		}
	}
	if held != owned || found != owned {
		t.Errorf("of %d steps of the cluster's own %d are held, and %d found as causes", owned, held, found)
	}
}

// labels are about so many bytes of texts as long as they may be.
func labels(bytes int) string {
	m := map[string]string{}
	for i := range bytes / trace.MaxText {
		m[fmt.Sprint(i)] = strings.Repeat("x", trace.MaxText)
	}
	b, _ := json.Marshal(m)
	return string(b)
}

// TestAPoliteNodeLeavesTheClustersOwn: a node that tells no more than it may, each as large as it can be, has what it
// told itself go, and nothing of what the cluster did, nor the causes that are found by that.
func TestAPoliteNodeLeavesTheClustersOwn(t *testing.T) {
	const lines = 300
	create := cri("CreateContainer", `{"config":{"labels":`+labels(14<<10)+`}}`)
	pull := cri("PullImage", `{"sandboxConfig":{"labels":`+labels(14<<10)+`}}`)
	for name, c := range map[string]struct {
		line Line
		want string // a kind of steps that there are then
	}{
		"of its pod":         {of("mine", "uid-mine", create), "cri.CreateContainer"},
		"of no pod":          {Line{Step: &Step{CRI: create}}, "node.refused"},
		"an image of no pod": {Line{Step: &Step{CRI: pull}}, "cri.PullImage"},
	} {
		t.Run(name, func(t *testing.T) {
			n := follow(t)
			own(n.bus)
			conn := n.open(0)
			for range lines {
				n.write(conn, c.line)
			}
			n.write(conn, of("mine", "uid-mine", cri("StopContainer", `{"containerId":"last"}`)))
			for _, s := range n.until("cri.StopContainer") {
				if s.Kind == cutOffKind {
					t.Fatal("it was cut off: the test tells more than a node may")
				}
			}
			whole(t, n.bus)
			steps, gone := n.bus.All()
			kinds := map[string]int{}
			for i := range steps {
				kinds[steps[i].Kind.Name]++
			}
			if kinds[c.want] == 0 || kinds["cri.StopContainer"] != 1 || (gone == 0) == (kinds[c.want] > 1) {
				t.Errorf("%v, %d have gone", kinds, gone)
			}
		})
	}
}

// named is a node's end of what is followed, without its connection. Pods of any name are its own.
func named(bus *trace.Bus, node string) *follower {
	o := Options{Bus: bus, Node: node, Pod: func(_ context.Context, namespace, name string) (*corev1.Pod, error) {
		return &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID("uid-" + name)},
			Spec:       corev1.PodSpec{NodeName: node},
		}, nil
	}}
	f := &follower{Options: o, pods: newPods(&o), clock: &clock{known: true}}
	f.steps, f.bytes = newLimits()
	return f
}

// says has a node tell as fast as it may: where it would have to wait it has waited.
func (f *follower) says(t *testing.T, lines ...Line) {
	t.Helper()
	for _, l := range lines {
		text, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		if now := time.Now(); f.steps.TokensAt(now) < 2 || f.bytes.TokensAt(now) < MaxLine {
			f.steps, f.bytes = newLimits()
		}
		if err := f.line(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
}

// podStart is what a node tells of the start of a pod with one container: about as much as of nginx.
func podStart(name string) []Line {
	of := func(c *CRI) Line { return of(name, "uid-"+name, c) }
	sandbox := `{"metadata":{"name":"` + name + `","uid":"uid-` + name + `","namespace":"default"},"logDirectory":"/var/log/pods/` + name + `","labels":` + labels(512) +
		`,"linux":{"cgroupParent":"/kubepods/besteffort/` + strings.Repeat("x", 256) + `"}}`
	lines := []Line{}
	for _, plugin := range []string{"bridge", "portmap", "firewall"} {
		lines = append(lines, Line{Step: &Step{At: time.Now().UnixMicro(), Namespace: "default", Pod: name, UID: "uid-" + name, CNI: &CNI{
			Command: "ADD", Plugin: plugin, Stdin: json.RawMessage(`{"type":"` + strings.Repeat("x", 600) + `"}`), Stdout: json.RawMessage(`{"name":"` + strings.Repeat("x", 500) + `"}`),
		}}})
	}
	return append(lines,
		of(cri("RunPodSandbox", `{"config":`+sandbox+`}`)),
		of(cri("PullImage", `{"image":{"image":"nginx"},"sandboxConfig":`+sandbox+`}`)),
		of(cri("CreateContainer", `{"podSandboxId":"s","config":{"labels":`+labels(1024)+`,"mounts":[{"containerPath":"`+strings.Repeat("x", 400)+`","hostPath":"`+strings.Repeat("x", 400)+`"}]}}`)),
		of(cri("StartContainer", `{"containerId":"c"}`)),
	)
}

// TestAHostileNodeEndsNoOthersStory: what several nodes tell without end leaves the cluster's own, and the whole start
// of an honest node's pods: of a hundred if it is alone.
func TestAHostileNodeEndsNoOthersStory(t *testing.T) {
	for _, c := range []struct{ hostile, pods int }{{0, 100}, {1, 80}, {3, 40}} {
		t.Run(fmt.Sprintf("%d hostile nodes", c.hostile), func(t *testing.T) {
			bus := trace.New()
			own(bus)
			honest := named(bus, "honest")
			want := 0
			for i := range c.pods {
				lines := podStart(fmt.Sprint("p", i))
				want += len(lines)
				honest.says(t, lines...)
			}
			for i := range c.hostile {
				node := named(bus, fmt.Sprint("hostile-", i))
				heavy := of("a", "uid-a", cri("CreateContainer", `{"config":{"labels":`+labels(14<<10)+`}}`))
				for range 400 {
					node.says(t, heavy)
				}
				for range 25_000 {
					node.says(t, Line{Missed: 1})
				}
			}
			whole(t, bus)
			got := map[string]int{}
			steps, _ := bus.All()
			for i := range steps {
				if steps[i].Node == "honest" {
					got[steps[i].Kind.Name]++
				}
			}
			if n := got["cni.plugin"] + got["cri.RunPodSandbox"] + got["cri.PullImage"] + got["cri.CreateContainer"] + got["cri.StartContainer"]; n != want {
				t.Errorf("of %d steps that the honest node told there are %d: %v", want, n, got)
			}
		})
	}
}
