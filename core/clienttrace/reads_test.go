package clienttrace

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/trace"
)

// working begins a reconcile that a traced event led to.
func beginReconcile(t *testing.T, bus *trace.Bus, q *queue, item string) {
	t.Helper()
	event := pod("7")
	wrote(bus, 7)
	distributed("added", event, 1)
	delivered := delivering(event)
	q.Added(item)
	delivered()
	q.Got(item)
}

// TestWhatWasRead: a reconcile tells what it read of which cache, what it did not find, too, and what others
// read at the same time is not its own.
func TestWhatWasRead(t *testing.T) {
	bus := trace.New()
	defer Install(bus)()
	q := newQueue("replicaset")
	if reads() != nil {
		t.Error("what nobody's work reads is told")
	}
	beginReconcile(t, bus, q, "default/nginx")
	reconcile := trace.Marked()
	reads()("*v1.ReplicaSet", "key", "default/nginx", []any{pod("1")}, 1)
	for range 3 {
		reads()("*v1.Pod", "podController", "default/ReplicaSet/nginx/uid", nil, 0)
	}
	later := bus.Reserve()
	done := make(chan bool)
	go func() {
		defer trace.Mark(bus.Reserve())() // what a batch of it starts
		done <- reads() == nil
	}()
	if !<-done {
		t.Error("what is read for another step is told as the reconcile's")
	}
	q.Done("default/nginx")
	if trace.Marked() != 0 || reads() != nil {
		t.Error("it goes on after the end")
	}
	var found *trace.Step
	steps, _ := bus.All()
	for i := range steps {
		if steps[i].Kind == readCache {
			found = &steps[i]
		}
	}
	if found == nil || found.Cause != reconcile {
		t.Fatalf("not told below the reconcile: %+v", found)
	}
	if found.ID > later {
		t.Errorf("%d is told after %d, which began when it had been read: a clock may not tell them apart", found.ID, later)
	}
	text := string(found.JSON(true))
	for _, want := range []string{
		`"controller":"replicaset-controller"`, `{"type":"v1.ReplicaSet","by":"key","of":"default/nginx","found":1,"names":["p"]}`,
		`{"type":"v1.Pod","by":"podController","of":"default/ReplicaSet/nginx/uid","found":0,"times":3}`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
	if brief := string(found.BriefJSON()); !strings.Contains(brief, `"reads":[{"type":"v1.Pod","by":"podController","of":"","found":0,"which":"ReplicaSet"}`) || strings.Contains(brief, "nginx/uid") {
		t.Errorf("in brief %s", brief)
	}
	if len(installed.Load().reading.of) != 0 {
		t.Error("what has ended is held")
	}
}

// TestWhichWereRead: in brief it is said whose they are, not by what key.
func TestWhichWereRead(t *testing.T) {
	for _, c := range []struct{ by, of, want string }{
		{"podController", "default/ReplicaSet/nginx/uid", "ReplicaSet"},
		{"podController", "default", "nobody"},
		{"controllerRevisionController", "default/StatefulSet/db/uid", "StatefulSet"},
		{"controllerRevisionController", "default", "nobody"},
		{"selector", "default/", "namespace"},
		{"selector", "default/example.com/app=web", "labels"},
		{"selector", "/app=web", "labels"},
		{"selector", "/", ""},
		{"key", "default/nginx", ""},
		{"controllerUID", "uid", ""},
	} {
		if got := (&Read{By: c.by, Of: c.of}).which(); got != c.want {
			t.Errorf("%s %s: %q, want %q", c.by, c.of, got, c.want)
		}
	}
}

// TestReadsAreBounded: a reconcile that reads for ever keeps a few readings, and counts the others; a name that
// is endless is cut.
func TestReadsAreBounded(t *testing.T) {
	bus := trace.New()
	defer Install(bus)()
	q := newQueue("deployment")
	beginReconcile(t, bus, q, "default/x")
	endless := pod("1")
	endless.Name = strings.Repeat("x", 1<<20)
	for i := range 1000 {
		reads()("*v1.Pod", "key", fmt.Sprint(i, endless.Name), []any{endless}, 1)
	}
	q.Done("default/x")
	steps, _ := bus.All()
	for i := range steps {
		if d, ok := steps[i].Details.(*Looked); ok {
			text, err := json.Marshal(d)
			if err != nil || len(d.Reads) != maxReads || d.Further != 1000-maxReads || len(text) > 64<<10 {
				t.Errorf("%d kept, %d counted, %d bytes: %v", len(d.Reads), d.Further, len(text), err)
			}
			return
		}
	}
	t.Error("not told")
}
