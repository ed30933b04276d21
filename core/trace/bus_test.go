package trace

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

var (
	testKind  = Declare(Kubectl, "test.step", Place{})
	testStart = Declare(Start, "test.start", Place{})
)

func TestRingKeepsTheLast(t *testing.T) {
	b := newBus(4, MaxBytes)
	var ids []ID
	for i := range 10 {
		id := b.Reserve()
		b.Wrote(id, int64(i+1), "u", "k")
		ids = append(ids, b.Add(Step{ID: id, Kind: testKind}))
	}
	b.Add(Step{Kind: testStart})
	steps, gone := b.All()
	if len(steps) != 5 || gone != 6 || steps[1].ID != ids[6] || steps[4].ID != ids[9] {
		t.Errorf("%d steps, %d gone: %v", len(steps), gone, steps)
	}
	seventh, ago := b.Made(7)
	if b.Revision(6) != 0 || seventh != ids[6] || ago <= 0 || b.Latest("u") != ids[9] || b.LatestByKey("k") != ids[9] || b.UIDAt(6) != "" || b.UIDAt(7) != "u" {
		t.Error("the index does not hold what the ring holds")
	}
	if n := len(b.index.writes); n != 4 {
		t.Errorf("the index holds %d steps", n)
	}
	if _, ok := b.Find(ids[9]); !ok {
		t.Error("the last step is not found")
	}
	if _, ok := b.Find(ids[0]); ok {
		t.Error("a step that has gone is found")
	}
}

// TestLatestBefore: what came while a step was under way is not what it comes of.
func TestLatestBefore(t *testing.T) {
	b := newBus(2, MaxBytes)
	wrote := func(uid, key string) ID {
		id := b.Reserve()
		b.Wrote(id, int64(id), uid, key)
		return id
	}
	first := wrote("u", "k")
	wrote("other", "k")
	event := b.Reserve()
	wrote("u", "another")
	last := wrote("u", "k")
	if got := b.LatestBefore(event, "u"); got != first {
		t.Errorf("the event comes of step %d, want %d", got, first)
	}
	if got := b.LatestByKeyBefore(event, "k"); got != first+1 {
		t.Errorf("by its key the event comes of step %d, want %d", got, first+1)
	}
	if b.Latest("u") != last || b.LatestByKey("k") != last {
		t.Error("the last write is not the latest")
	}
	if b.LatestBefore(first, "u")+b.LatestByKeyBefore(first, "k") != 0 {
		t.Error("something came before the first write")
	}
	// Two steps are held: the first write leaves the ring, and what came of it has no cause any more.
	for _, id := range []ID{first, event, last} {
		b.Add(Step{ID: id, Kind: testKind})
	}
	if got := b.LatestBefore(event, "u"); got == first {
		t.Error("a write that has gone is found")
	}
}

type heavy int

func (h heavy) Weight() int { return int(h) }

func TestRingIsBoundedByBytes(t *testing.T) {
	b := newBus(1000, 10_000)
	for range 50 {
		b.Add(Step{Kind: testKind, Details: heavy(3000)})
	}
	if b.live.n != 2 || b.live.bytes > 10_000 {
		t.Errorf("%d steps, %d bytes", b.live.n, b.live.bytes)
	}
	for range 100 {
		b.Add(Step{Kind: testKind})
	}
	if b.live.bytes > 10_000 || b.live.bytes != b.live.n*stepWeight {
		t.Errorf("%d steps, %d bytes", b.live.n, b.live.bytes)
	}
}

// TestNodesTellBesideTheRing: what nodes tell has nothing of the cluster's own go. Of what they tell themselves the
// oldest goes of the node that has told the most, so that a flood ends none of the others' stories. Readers have it
// all in the order in which it came, and are told how many steps are missing.
func TestNodesTellBesideTheRing(t *testing.T) {
	const owned, honest, floods = 300, 50, 4
	b := New()
	add := func(s Step) {
		s.Kind = testKind
		b.Add(s)
	}
	for i := range owned {
		id := b.Reserve()
		b.Wrote(id, int64(i+1), "", "")
		add(Step{ID: id})
	}
	early := b.View(true)
	defer early.Close()
	for i := range 2000 {
		if i < honest {
			add(Step{Told: true, Node: "honest", Details: heavy(10_000)})
		}
		for n := range floods {
			add(Step{Told: true, Node: string(rune('a' + n)), Details: heavy(40_000)})
		}
	}
	last := b.Reserve()
	add(Step{ID: last})

	steps, gone := b.All()
	count, bytes := map[string]int{}, 0
	for i := range steps {
		count[steps[i].Node]++
		if steps[i].Told {
			bytes += steps[i].weight()
		}
		if i > 0 && steps[i].number <= steps[i-1].number {
			t.Fatalf("step %d comes after step %d", steps[i].number, steps[i-1].number)
		}
	}
	if count[""] != owned+1 || count["honest"] != honest || b.Revision(1) != steps[0].ID {
		t.Errorf("of %v something has gone that did not flood", count)
	}
	if bytes > ToldBytes || bytes != b.told.bytes || len(steps) != b.live.n+b.told.n || gone != int64(owned+1+honest+2000*floods-len(steps)) {
		t.Errorf("%d bytes of %d steps, %d gone", bytes, b.told.n, gone)
	}
	for n := range floods {
		if share := count[string(rune('a'+n))] * 40_000; share < (ToldBytes-honest*11_000)/floods-100_000 {
			t.Errorf("one of those that told as much as the others has %d bytes", share)
		}
	}
	if _, held := b.Find(steps[len(steps)-2].ID); !held {
		t.Error("a step that was told is not found")
	}
	late := b.View(false)
	defer late.Close()
	for name, c := range map[string]struct {
		v     *Viewer
		since int
	}{"late": {late, 0}, "early": {early, owned}} {
		var read []Step
		var missed int64
		for len(read) == 0 || read[len(read)-1].ID != last {
			batch, err := c.v.Next(t.Context(), 7)
			if err != nil || len(batch.Steps) > 7 {
				t.Fatal(len(batch.Steps), err)
			}
			read, missed = append(read, batch.Steps...), missed+batch.Missed
		}
		if missed != gone || len(read) != len(steps)-c.since || read[0].ID != steps[c.since].ID {
			t.Errorf("the %s reader has %d steps, and missed %d of %d", name, len(read), missed, gone)
		}
	}
	// What is larger than all that is kept has only its own node's steps go, which is forgotten with them.
	add(Step{Told: true, Node: "b", Details: heavy(ToldBytes)})
	if b.told.nodes["b"] != nil || len(b.told.nodes) != floods || len(b.told.nodes["honest"].steps) != honest {
		t.Errorf("%d nodes", len(b.told.nodes))
	}
}

func TestViewerReadsOnAndIsToldWhatItMissed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus(3, MaxBytes)
		b.Add(Step{Kind: testKind})
		v := b.View(true)
		if !b.Watched() {
			t.Error("nobody seems to read")
		}
		got := make(chan Batch)
		go func() {
			batch, _ := v.Next(t.Context(), 10)
			got <- batch
		}()
		synctest.Wait()
		id := b.Add(Step{Kind: testKind})
		if batch := <-got; len(batch.Steps) != 1 || batch.Steps[0].ID != id || batch.Missed != 0 {
			t.Errorf("got %v", batch)
		}
		for range 5 {
			b.Add(Step{Kind: testKind})
		}
		if batch, _ := v.Next(t.Context(), 10); batch.Missed != 2 || len(batch.Steps) != 3 {
			t.Errorf("got %v", batch)
		}
		go func() { synctest.Wait(); v.Close() }()
		if _, err := v.Next(t.Context(), 10); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if b.Watched() {
			t.Error("somebody seems to read")
		}
	})
}

func TestCausesTravel(t *testing.T) {
	if Cause(t.Context()) != 0 {
		t.Fatal("there is a cause already")
	}
	ctx := With(t.Context(), 7)
	if Cause(ctx) != 7 || Cause(Carry(ctx, context.Background())) != 7 {
		t.Error("a context loses its cause")
	}
	done := Mark(9)
	got := make(chan ID)
	go func() { got <- Cause(context.Background()) }()
	if id := <-got; id != 9 {
		t.Errorf("a goroutine inherited %d", id)
	}
	if Cause(ctx) != 7 {
		t.Error("the context does not come first")
	}
	done()
	if Marked() != 0 {
		t.Error("the mark stays")
	}
}

// TestStrangersNameNoCause: an audit ID stands for one request of this process, and only so many are
// remembered.
func TestStrangersNameNoCause(t *testing.T) {
	b := New()
	uuid := b.Audit(5)
	if b.Audited("") != 0 || b.Audited("00000000-0000-4000-8000-000000000000") != 0 {
		t.Error("an ID that was not given means something")
	}
	if b.Audited(uuid) != 5 || b.Audited(uuid) != 0 {
		t.Error("an ID does not stand for one request")
	}
	b.Dialled("127.0.0.1:40000", 6)
	if b.Dialler("127.0.0.1:40001") != 0 || b.Dialler("127.0.0.1:40000") != 6 || b.Dialler("127.0.0.1:40000") != 0 {
		t.Error("a connection does not stand for one request")
	}
	for i := range 3 * markTable {
		b.Audit(5)
		b.Dialled(strconv.Itoa(i), 6)
	}
	if n := len(b.marks.ids); n > markTable {
		t.Errorf("%d IDs are kept", n)
	}
}

func TestNilBus(t *testing.T) {
	var b *Bus
	b.Wrote(b.Add(Step{Kind: testKind}), 1, "u", "k")
	_, found := b.Find(1)
	steps, _ := b.All()
	if b.Reserve()+b.Revision(1)+b.Latest("u")+b.LatestByKey("k")+b.Audited(b.Audit(1))+b.Dialler("a") != 0 || b.UIDAt(1) != "" || found || steps != nil || b.Watched() || b.Attended(time.Now()) || b.Tree(1) != nil {
		t.Error("a nil bus knows something")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	v := b.View(false)
	defer v.Close()
	if _, err := v.Next(ctx, 1); err == nil {
		t.Error("a nil bus has steps")
	}
}

func TestTree(t *testing.T) {
	b := New()
	root := b.Reserve()
	child := b.Add(Step{Kind: testKind, Cause: root, Object: Object{Resource: "pods", Namespace: "n", Name: "p"}})
	b.Add(Step{Kind: testKind, Cause: child, Inferred: true})
	b.Add(Step{Kind: testKind}) // of something else
	b.Add(Step{ID: root, Kind: testKind})
	b.Add(Step{ID: 99, Kind: testKind, Cause: 99}) // a lie would be a circle
	want := "test.step\n  test.step pods n/p\n    test.step (inferred)\n"
	if got := b.Tree(root).String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if b.Tree(99) == nil || len(b.Tree(99).Children) != 0 {
		t.Error("a step is below itself")
	}
}

func TestJSON(t *testing.T) {
	s := Step{ID: 1, Kind: testKind, Component: "<b>", Object: Object{Name: "\"x\u2028"}, Details: map[string]string{"a": "b"}}
	var back map[string]any
	if err := json.Unmarshal(s.JSON(true), &back); err != nil || back["component"] != "<b>" || back["details"] == nil {
		t.Errorf("%s: %v", s.JSON(true), err)
	}
	s.Details = strings.Repeat("x", maxDetails)
	if err := json.Unmarshal(s.JSON(true), &back); err != nil || !strings.Contains(string(s.JSON(true)), `"cut"`) || len(s.JSON(true)) > 1000 {
		t.Errorf("details without bound: %.200s %v", s.JSON(true), err)
	}
	s.Details = make(chan int)
	if !strings.Contains(string(s.JSON(true)), "unsupported type") {
		t.Errorf("%s", s.JSON(true))
	}
}

// TestJSONHasEveryField: the line is written by hand, and is what encoding/json makes of the same.
func TestJSONHasEveryField(t *testing.T) {
	s := Step{
		ID: 7, At: time.UnixMicro(1_700_000_000_123_456), Took: 1500 * time.Microsecond, Kind: testKind, Component: "kubelet",
		Object: Object{"g", "v1", "pods", "status", "n", "na\"me\n\xff", "u", "12"}, Cause: 3, Causes: []ID{4, 5}, Inferred: true,
		Node: "node-1", Told: true, Details: map[string]int{"a": 1}, Cut: "something",
	}
	want := map[string]any{
		"id": 7.0, "at": 1_700_000_000_123.456, "took": 1.5, "component": "kubelet", "kind": testKind.Name, "chapter": string(testKind.Chapter),
		"object": map[string]any{
			"group": "g", "version": "v1", "resource": "pods", "subresource": "status", "namespace": "n", "name": "na\"me\n\uFFFD",
			"uid": "u", "resourceVersion": "12",
		},
		"cause": 3.0, "causes": []any{4.0, 5.0}, "inferred": true, "node": "node-1", "told": true, "details": map[string]any{"a": 1.0},
		"cut": "something",
	}
	var got map[string]any
	if err := json.Unmarshal(s.JSON(true), &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %v", s.JSON(true), err)
	}
	if fields := reflect.TypeFor[Step]().NumField(); fields != 15 { // number and held are the bus's own
		t.Errorf("a Step has %d fields: is the new one in its line, and in this test?", fields)
	}
}

type costly struct{ made *int }

func (c costly) MarshalJSON() ([]byte, error) { *c.made++; return []byte(`"all of it"`), nil }
func (c costly) Brief() any                   { return map[string]string{"node": "node-1"} }

// TestBriefJSON: a list does not have made what it does not say, and says that there is more.
func TestBriefJSON(t *testing.T) {
	made := 0
	for _, c := range []struct {
		details any
		want    string
	}{
		{nil, ""},
		{map[string]string{"key": "/registry"}, `,"details":{"key":"/registry"}`},
		{costly{&made}, `,"brief":true,"details":{"node":"node-1"}`},
		{strings.Repeat("x", maxBrief), `,"brief":true`},
		{make(chan int), `,"brief":true`},
	} {
		s := Step{ID: 1, At: time.UnixMicro(0), Kind: testKind, Component: "etcd", Details: c.details}
		want := `{"id":1,"at":0,"component":"etcd","kind":"` + testKind.Name + `","chapter":"` + string(testKind.Chapter) + `"` + c.want + "}"
		if got := string(s.BriefJSON()); got != want {
			t.Errorf("%s, not %s", got, want)
		}
	}
	if made != 0 {
		t.Error("details were made")
	}
}

func BenchmarkJSON(b *testing.B) {
	s := Step{
		ID: 7, At: time.Now(), Took: time.Millisecond, Kind: testKind, Component: "kubelet", Cause: 3, Node: "node-1",
		Object: Object{Version: "v1", Resource: "pods", Namespace: "default", Name: "nginx", UID: "4d1b1d70-98a1-4e93-a6c0-0e0ee9a8e1fd"},
	}
	b.ReportAllocs()
	for b.Loop() {
		s.JSON(false)
	}
}

func TestQueryKeepsNoCommand(t *testing.T) {
	got := Query(url.Values{"command": {"mysql", "-pCANARY"}, "stdin": {"true"}, "made-up": {"CANARY"}})
	if strings.Contains(got, "CANARY") || !strings.Contains(got, "stdin=true") {
		t.Error(got)
	}
}

func BenchmarkAdd(b *testing.B) {
	bus := New()
	b.ReportAllocs()
	for b.Loop() {
		bus.Add(Step{Kind: testKind, Component: "etcd"})
	}
}

// TestAttended: somebody is there while they read, and for a while after they have typed a command.
func TestAttended(t *testing.T) {
	b := New()
	now := time.Now()
	if b.Attended(now) {
		t.Error("nobody has come, and somebody is there")
	}
	v := b.View(true)
	if !b.Attended(now) {
		t.Error("who reads is not there")
	}
	v.Close()
	if b.Attended(now) {
		t.Error("who has left is there")
	}
	b.Audit(b.Reserve())
	if !b.Attended(now.Add(attendance / 2)) {
		t.Error("who has typed a command is not there")
	}
	if b.Attended(now.Add(2 * attendance)) {
		t.Error("who typed a command long ago is there")
	}
}
