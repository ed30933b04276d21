package apitrace

import (
	"reflect"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	oteltrace "go.opentelemetry.io/otel/trace"
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
