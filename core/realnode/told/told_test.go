package told

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/tabernetes/tabernetes/core/trace"
)

// patience is for a busy machine.
const patience = 30 * time.Second

// api has two pods: mine on node-a, theirs on node-b.
func api(_ context.Context, namespace, name string) (*corev1.Pod, error) {
	pod := func(uid, node string) *corev1.Pod {
		return &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID(uid)},
			Spec:       corev1.PodSpec{NodeName: node},
		}
	}
	switch namespace + "/" + name {
	case "default/mine":
		return pod("uid-mine", "node-a"), nil
	case "default/theirs":
		return pod("uid-theirs", "node-b"), nil
	}
	return nil, apierrors.NewNotFound(schema.GroupResource{Resource: "pods"}, name)
}

// node is one that is followed, as its own end sees it. Each dial of the cluster's comes as a connection.
type node struct {
	t     *testing.T
	bus   *trace.Bus
	view  *trace.Viewer
	dials chan net.Conn
}

func follow(t *testing.T) *node {
	t.Helper()
	n := &node{t: t, bus: trace.New(), dials: make(chan net.Conn)}
	n.view = n.bus.View(true)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		Follow(ctx, Options{
			Bus: n.bus, Node: "node-a", Pod: api, Retry: time.Millisecond, Penance: time.Hour,
			Dial: func(ctx context.Context) (net.Conn, error) {
				near, far := net.Pipe()
				select {
				case n.dials <- far:
					return near, nil
				case <-ctx.Done():
					return nil, ctx.Err()
				}
			},
		})
	}()
	t.Cleanup(func() { cancel(); <-ended; n.view.Close() })
	return n
}

// open takes the cluster's dial and answers its question for the time; skew is how far the node's clock
// is ahead.
func (n *node) open(skew time.Duration) net.Conn {
	n.t.Helper()
	var conn net.Conn
	select {
	case conn = <-n.dials:
	case <-time.After(patience):
		n.t.Fatal("the node is not dialled")
	}
	n.t.Cleanup(func() { _ = conn.Close() })
	if _, err := io.ReadFull(conn, make([]byte, 1)); err != nil {
		n.t.Fatal(err)
	}
	n.write(conn, Line{Clock: time.Now().Add(skew).UnixMicro()})
	return conn
}

func (n *node) write(conn net.Conn, lines ...Line) {
	n.t.Helper()
	for _, l := range lines {
		b, err := json.Marshal(l)
		if err != nil {
			n.t.Fatal(err)
		}
		_, _ = conn.Write(append(b, '\n')) // it may have been cut off
	}
}

// until gives the steps until one of a kind, which is the last.
func (n *node) until(kind string) (steps []trace.Step) {
	n.t.Helper()
	ctx, cancel := context.WithTimeout(n.t.Context(), patience)
	defer cancel()
	for {
		batch, err := n.view.Next(ctx, 1)
		if err != nil {
			n.t.Fatalf("no %s among %d steps: %v", kind, len(steps), err)
		}
		steps = append(steps, batch.Steps...)
		if last := steps[len(steps)-1]; last.Kind.Name == kind {
			return steps
		}
	}
}

func cri(method, request string) *CRI { return &CRI{Method: method, Request: json.RawMessage(request)} }

func of(pod, uid string, c *CRI) Line {
	return Line{Step: &Step{At: time.Now().UnixMicro(), Took: 1000, Namespace: "default", Pod: pod, UID: uid, CRI: c}}
}

// TestANodeTellsOfItsPods: calls are steps that the node has told, under what wrote the pod, at the
// cluster's time; a plugin's is under the call that makes the sandbox, which comes after it.
func TestANodeTellsOfItsPods(t *testing.T) {
	n := follow(t)
	bound := n.bus.Reserve()
	n.bus.Wrote(bound, 7, "uid-mine", "")
	const skew = 3 * time.Hour
	conn := n.open(skew)
	began := time.Now()
	add := Line{Step: &Step{At: time.Now().Add(skew).UnixMicro(), Namespace: "default", Pod: "mine", UID: "uid-mine", CNI: &CNI{Command: "ADD", Plugin: "bridge", IPs: []string{"10.244.7.3/24"}}}}
	run := of("mine", "uid-mine", cri("RunPodSandbox", `{"config":{"metadata":{"name":"mine"}}}`))
	run.Step.At = time.Now().Add(skew).UnixMicro()
	start := of("mine", "uid-mine", cri("StartContainer", `{"containerId":"c"}`))
	start.Step.At = run.Step.At
	n.write(conn, add, run, start)
	steps := n.until("cri.StartContainer")
	if len(steps) != 3 || steps[0].Kind.Name != "cni.plugin" || steps[1].Kind.Name != "cri.RunPodSandbox" {
		t.Fatalf("%+v", steps)
	}
	for _, s := range steps {
		if !s.Told || s.Node != "node-a" || s.Object.UID != "uid-mine" || s.Object.Name != "mine" {
			t.Errorf("%+v", s)
		}
		if off := s.At.Sub(began).Abs(); off > time.Minute {
			t.Errorf("%s is off by %s", s.Kind.Name, off)
		}
	}
	if steps[1].Cause != bound || steps[2].Cause != bound || steps[0].Cause != steps[1].ID {
		t.Errorf("the causes are %d of %d, %d, %d", steps[0].Cause, steps[1].ID, steps[1].Cause, steps[2].Cause)
	}
	if text := string(steps[1].JSON(true)); !strings.Contains(text, `"by":"over a socket"`) || !strings.Contains(text, `"told":true`) {
		t.Error(text)
	}
}

// TestWhatANodeTellsOfOthersIsRefused: of another node's pod, of one that is not there, of another's name
// with its own pod's UID, and of what is no step at all.
func TestWhatANodeTellsOfOthersIsRefused(t *testing.T) {
	n := follow(t)
	conn := n.open(0)
	start := func() *CRI { return cri("StartContainer", `{"containerId":"c"}`) }
	n.write(conn,
		of("theirs", "uid-theirs", start()), // refused aloud
		of("theirs", "uid-mine", start()),
		Line{Step: &Step{CRI: start()}},
		Line{Step: &Step{CRI: cri("RunPodSandbox", `{}`)}},
		Line{Step: &Step{CNI: &CNI{Command: "ADD"}}},
		of("nobody", "uid-nobody", start()),
		of("mine", "", start()),
		of("mine", "uid-mine", cri("StartContainer", `{"nobody":"c"}`)),
		of("mine", "uid-mine", cri("ContainerStatus", `{}`)),
		of("mine", "uid-mine", cri("../x\n", `{}`)),
		Line{Step: &Step{Namespace: "default", Pod: "mine", UID: "uid-mine"}},
		Line{Step: &Step{Namespace: "default", Pod: "mine", UID: "uid-mine", CRI: start(), CNI: &CNI{}}},
		of("mine", "uid-mine", start()),
		// Its UID is known now: under whatever name, it is that pod's.
		of("theirs", "uid-mine", cri("StopContainer", `{"containerId":"c"}`)),
	)
	steps := n.until("cri.StopContainer")
	var got []string
	for _, s := range steps {
		got = append(got, s.Kind.Name+" "+s.Object.Name)
	}
	if want := "node.refused node-a, cri.StartContainer mine, cri.StopContainer mine"; strings.Join(got, ", ") != want {
		t.Errorf("%s, want %s", strings.Join(got, ", "), want)
	}
	if text := string(steps[0].JSON(true)); !strings.Contains(text, "theirs") || strings.Contains(text, `"told"`) {
		t.Errorf("what is refused is said as %s", text)
	}
}

// TestWhatIsOfNoPod: images, and what the runtime is told of its configuration, are the node's own; all else is done for a
// pod, and who tells of none is named.
func TestWhatIsOfNoPod(t *testing.T) {
	for method, wants := range map[string]string{
		"PullImage": "cri.PullImage", "RemoveImage": "cri.RemoveImage", "UpdateRuntimeConfig": "cri.UpdateRuntimeConfig",
		"RunPodSandbox": "node.refused", "StopPodSandbox": "node.refused", "RemovePodSandbox": "node.refused",
		"CreateContainer": "node.refused", "StartContainer": "node.refused", "StopContainer": "node.refused", "RemoveContainer": "node.refused",
		"ExecSync": "node.refused", "Exec": "node.refused", "Attach": "node.refused", "PortForward": "node.refused", "UpdateContainerResources": "node.refused",
	} {
		n := follow(t)
		conn := n.open(0)
		n.write(conn, Line{Step: &Step{CRI: cri(method, `{}`)}})
		last := n.until(wants)[0]
		if text := string(last.JSON(true)); last.Kind.Name != wants || wants == "node.refused" && !strings.Contains(text, "of no pod") {
			t.Errorf("%s: %s", method, text)
		}
	}
}

// TestWhoReachesIn: an exec that a node tells of is below the latest request for one of that pod, which is found by the
// pod and the way, once; one of which nobody knows who asked for it is below none.
func TestWhoReachesIn(t *testing.T) {
	n := follow(t)
	key := trace.ObjectKey("", "pods", "default", "mine")
	n.bus.Wrote(n.bus.Reserve(), 1, "uid-mine", key)
	exec, forward := n.bus.Reserve(), n.bus.Reserve()
	n.bus.Entered(key, "exec", n.bus.Reserve()) // refused on its way, perhaps
	n.bus.Entered(key, "exec", exec)
	n.bus.Entered(key, "portforward", forward)
	n.bus.Entered(trace.ObjectKey("", "pods", "default", "theirs"), "attach", n.bus.Reserve())
	conn := n.open(0)
	for _, w := range []struct {
		method string
		cause  trace.ID
	}{{"Exec", exec}, {"Exec", 0}, {"PortForward", forward}, {"Attach", 0}} {
		n.write(conn, of("mine", "uid-mine", cri(w.method, `{}`)))
		last := n.until("cri." + w.method)
		if s := last[len(last)-1]; s.Cause != w.cause || s.Inferred != (w.cause != 0) {
			t.Errorf("%s: its cause is %d, inferred %v; want %d", w.method, s.Cause, s.Inferred, w.cause)
		}
	}
}

// TestASecretIsCutOnceMore: a node that leaves the cutting out tells no secret.
func TestASecretIsCutOnceMore(t *testing.T) {
	n := follow(t)
	conn := n.open(0)
	create := of("mine", "uid-mine", cri("CreateContainer", `{"config":{"command":["canary"],"args":["canary"],"envs":[{"key":"A","value":"Y2FuYXJ5"}],"annotations":{"a":"canary"}}}`))
	exec := of("mine", "uid-mine", cri("ExecSync", `{"cmd":["canary"]}`))
	exec.Step.CRI.Response, exec.Step.CRI.Error = json.RawMessage(`{"stdout":"Y2FuYXJ5"}`), "canary exited with 1"
	pull := of("mine", "uid-mine", cri("PullImage", `{"image":{"image":"nginx"},"auth":{"password":"canary"}}`))
	bad := of("mine", "uid-mine", cri("StopContainer", `{"canary":"canary"}`))
	start := of("mine", "uid-mine", cri("StartContainer", `{"containerId":"1"}`))
	start.Step.CRI.Error = `runc create failed: exec: "canary": executable file not found in $PATH`
	n.write(conn, create, exec, bad, start, pull)
	for _, s := range n.until("cri.PullImage") {
		text := string(s.JSON(true))
		if strings.Contains(text, "canary") || strings.Contains(text, "Y2FuYXJ5") {
			t.Errorf("%s", text)
		}
	}
}

// TestWhatANodeTellsOfItsNetwork: a plugin's configuration and result are kept as JSON, bounded in length and
// depth, without the texts under names that CNI does not know, whatever the node has left in; what is no call
// of a plugin for a pod is refused.
func TestWhatANodeTellsOfItsNetwork(t *testing.T) {
	add := func(stdin, stdout string) *CNI {
		return &CNI{Command: "ADD", Plugin: "bridge", Stdin: json.RawMessage(stdin), Stdout: json.RawMessage(stdout)}
	}
	long := strings.Repeat("x", 900)
	many := strings.Repeat(`"`+long+`",`, 16) + `""`
	for name, c := range map[string]struct {
		call  *CNI
		wants []string
	}{
		"a bridge's": {
			add(`{"cniVersion":"1.0.0","type":"bridge","isGateway":true,"mtu":1450,"ipam":{"ranges":[[{"subnet":"10.244.7.0/24"}]]}}`,
				`{"interfaces":[{"name":"veth1","mac":"0a:58:0a:f4:07:03"}],"ips":[{"address":"10.244.7.3/24","interface":2}]}`),
			[]string{`"subnet":"10.244.7.0/24"`, `"isGateway":true`, `"mtu":1450`, `"mac":"0a:58:0a:f4:07:03"`, `"interface":2`},
		},
		"secrets": {
			add(`{"type":"bridge","key":"canary","kubernetes":{"k8s_auth_token":"canary"},"args":{"cni":["canary"]},"pin":3141592}`,
				`{"ips":[{"address":"10.244.7.3/24","other":"canary"}]}`),
			[]string{`"type":"bridge"`, `"key":"(not kept)"`, `"kubernetes":"(not kept)"`, `"pin":"(not kept)"`, `"address":"10.244.7.3/24"`},
		},
		"too long": {
			add(`{"type":"bridge","ips":[`+many+`]}`, `{"prevResult":{"ips":[`+many+`]},"type":"portmap"}`),
			[]string{"bytes, more than 8192", `"prevResult":"(not kept)"`, `"type":"portmap"`},
		},
		"too deep":       {add(strings.Repeat("[", 4000)+strings.Repeat("]", 4000), "{}"), []string{`"(not kept)"`}},
		"not an object":  {add(`"a text"`, `7`), []string{`"stdin":"a text"`, `"stdout":7`}},
		"markup":         {add(`{"name":"<script>"}`, `null`), []string{`"name":"\u003cscript\u003e"`}},
		"arguments":      {&CNI{Command: "DEL", Args: "IgnoreUnknown=1;K8S_POD_NAME=mine;TOKEN=canary;canary"}, []string{"IgnoreUnknown=1;K8S_POD_NAME=mine;TOKEN=(not kept);(not kept)"}},
		"another's call": {&CNI{Command: "canary"}, []string{"node.refused"}},
	} {
		t.Run(name, func(t *testing.T) {
			n := follow(t)
			conn := n.open(0)
			n.write(conn,
				Line{Step: &Step{At: time.Now().UnixMicro(), Namespace: "default", Pod: "mine", UID: "uid-mine", CNI: c.call}},
				of("mine", "uid-mine", cri("StartContainer", `{"containerId":"c"}`)))
			s := n.until("cri.StartContainer")[0]
			text := string(s.JSON(true))
			for _, part := range c.wants {
				if !strings.Contains(text, part) {
					t.Errorf("there is no %s in %s", part, text)
				}
			}
			if brief := string(s.BriefJSON()); strings.Contains(text, "canary") || len(text) > 20<<10 || strings.Contains(brief, "stdin") || strings.Count(text, "[") > 40 {
				t.Errorf("%d bytes, in brief %s: %.2000s", len(text), brief, text)
			}
		})
	}
}

// TestAHostileNodeIsCutOff: one that floods, in steps or bytes, or does not speak as a node does. It is
// named with the reason, and not dialled again.
func TestAHostileNodeIsCutOff(t *testing.T) {
	flood := func(conn net.Conn, line []byte) {
		out := bufio.NewWriterSize(conn, 64<<10)
		for range 4 * StepsAtOnce {
			if _, err := out.Write(line); err != nil {
				return
			}
		}
		_ = out.Flush()
	}
	step := func(size int) []byte {
		l := of("nobody", "uid", cri("StartContainer", fmt.Sprintf(`{"containerId":%q}`, strings.Repeat("x", size))))
		b, _ := json.Marshal(l)
		return append(b, '\n')
	}
	result := func(size int) []byte {
		call := &CNI{Command: "ADD", Stdout: json.RawMessage(fmt.Sprintf(`{"name":%q}`, strings.Repeat("x", size)))}
		b, _ := json.Marshal(Line{Step: &Step{Namespace: "default", Pod: "mine", UID: "uid-mine", CNI: call}})
		return append(b, '\n')
	}
	for name, c := range map[string]struct {
		act  func(conn net.Conn)
		want string
	}{
		"steps":              {func(c net.Conn) { flood(c, step(1)) }, "more than 3000 steps"},
		"bytes":              {func(c net.Conn) { flood(c, step(MaxLine/2)) }, "bytes at once"},
		"results":            {func(c net.Conn) { flood(c, result(MaxLine/2)) }, "bytes at once"},
		"empty lines":        {func(c net.Conn) { flood(c, []byte("{}\n")) }, "more than 3000 steps"},
		"a line without end": {func(c net.Conn) { flood(c, []byte(strings.Repeat("x", 1<<10))) }, "is longer than"},
		"no JSON":            {func(c net.Conn) { _, _ = c.Write([]byte("GET / HTTP/1.1\n")) }, "not what a node says"},
		"a time unasked":     {func(c net.Conn) { _, _ = c.Write([]byte("{\"clock\":5}\n")) }, "nobody has asked"},
	} {
		t.Run(name, func(t *testing.T) {
			n := follow(t)
			conn := n.open(0)
			go c.act(conn)
			steps := n.until("node.cutOff")
			last := steps[len(steps)-1]
			if text := string(last.JSON(true)); last.Object.Name != "node-a" || !strings.Contains(text, c.want) {
				t.Errorf("%s", text)
			}
			if _, err := conn.Read(make([]byte, 1)); err == nil {
				t.Error("the connection goes on")
			}
		})
	}
}

// TestALyingClock: whatever a node says of time, a step is not of the future nor of long ago.
func TestALyingClock(t *testing.T) {
	var c clock
	now := time.Now()
	if c.answered(now, 5) {
		t.Error("a time that nobody has asked for is taken")
	}
	c.ask(now.Add(-2 * time.Second))
	c.answered(now, now.Add(time.Hour-time.Second).UnixMicro())
	if c.offset.Round(time.Millisecond) != time.Hour {
		t.Errorf("the offset is %s", c.offset)
	}
	for _, x := range []int64{0, -1 << 62, 1 << 62, now.UnixMicro()} {
		for _, took := range []int64{0, -1 << 62, 1 << 62, 1000} {
			at, lasted := c.when(now, x, took)
			if at.Add(lasted).After(now) || at.Before(now.Add(-maxPast)) || lasted < 0 {
				t.Errorf("%d for %d becomes %s for %s", x, took, at, lasted)
			}
		}
	}
}

// FuzzLine has any line said by a node that was asked for its clock: nothing panics.
func FuzzLine(f *testing.F) {
	f.Add(`{"step":{"at":1,"namespace":"default","pod":"mine","uid":"uid-mine","cri":{"method":"RunPodSandbox","request":{"config":{}}}}}`)
	f.Add(`{"step":{"cni":{"command":"ADD","ips":["x"]}},"missed":-5}`)
	f.Add(`{"step":{"namespace":"default","pod":"mine","uid":"uid-mine","cni":{"command":"ADD","args":"A=1;;","stdin":{"ips":[{"a":1e9}]},"stdout":[null]}}}`)
	f.Add(`{"clock":-1}`)
	f.Fuzz(func(t *testing.T, line string) {
		o := Options{Bus: trace.New(), Node: "node-a", Pod: api}
		x := &follower{Options: o, pods: newPods(&o), clock: &clock{known: true}}
		x.steps, x.bytes = newLimits()
		_ = x.line(t.Context(), []byte(line))
		steps, _ := x.Bus.All()
		for i := range steps {
			if text := steps[i].JSON(true); !json.Valid(text) {
				t.Errorf("%s", text)
			}
		}
	})
}
