package apitrace

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	oteltrace "go.opentelemetry.io/otel/trace"

	"github.com/tabernetes/tabernetes/core/trace"
)

// TestAttributes: what is read of an option is what OpenTelemetry itself reads of it.
func TestAttributes(t *testing.T) {
	for name, option := range map[string]oteltrace.SpanStartEventOption{
		"none":       oteltrace.WithAttributes(),
		"some":       oteltrace.WithAttributes(attribute.String("resource", "pods"), attribute.Int("len", 7)),
		"a time":     oteltrace.WithTimestamp(time.Unix(1, 0)),
		"no options": nil,
	} {
		var want []attribute.KeyValue
		if option != nil {
			start, event := oteltrace.NewSpanStartConfig(option), oteltrace.NewEventConfig(option)
			if want = start.Attributes(); !reflect.DeepEqual(want, event.Attributes()) {
				t.Errorf("%s: a span has %v of it, an event %v", name, want, event.Attributes())
			}
		}
		if got := attributes(option); len(got) != len(want) || len(got) > 0 && !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	if got := attributes(oteltrace.WithSpanKind(oteltrace.SpanKindServer)); len(got) != 0 {
		t.Errorf("a kind of span has attributes: %v", got)
	}
}

// TestReads: where a list is answered is told of what somebody typed, and of nobody else's.
func TestReads(t *testing.T) {
	bus := trace.New()
	v := bus.View(true)
	defer v.Close()
	for _, typed := range []bool{false, true} {
		r := &request{Request: trace.Request{ID: bus.Reserve()}, bus: bus, typed: typed, details: Served{Verb: "list"}}
		ctx, handler := provider{request: r}.Tracer("").Start(t.Context(), "List")
		_, cacher := oteltrace.SpanFromContext(ctx).TracerProvider().Tracer("").Start(ctx, "cacher.GetList")
		cacher.AddEvent("Listed items from cache", oteltrace.WithAttributes(attribute.Int("count", 3)))
		cacher.AddEvent("Filtered items", oteltrace.WithAttributes(attribute.Int("count", 0)))
		// Upstream asks etcd where its cache does not get as far in time.
		_, store := oteltrace.SpanFromContext(ctx).TracerProvider().Tracer("").Start(ctx, "List(recursive=true) etcd3")
		store.End()
		handler.End()
	}
	batch, err := v.Next(t.Context(), 10)
	if err != nil {
		t.Fatal(err)
	}
	if len(batch.Steps) != 1 {
		t.Fatalf("%d steps are told, want that of the list that was typed", len(batch.Steps))
	}
	got := string(batch.Steps[0].JSON(true))
	for _, want := range []string{`"from":"etcd"`, `"items":0`, `"count":3`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in %s", want, got)
		}
	}
}
