package podtrace

import (
	"errors"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/codes"
)

// TestASyncsErrorQuotesNoHook: what a sync ended with says that a hook failed, and nothing of its command, nor of
// what it wrote.
func TestASyncsErrorQuotesNoHook(t *testing.T) {
	const message = `failed to "StartContainer" for "c" with PostStartHookError: "Exec lifecycle hook ([sh -c echo CANARY]) for Container \"c\" failed - error: CANARY, message: \"CANARY\""`
	for name, fail := range map[string]func(*span){
		"error":  func(s *span) { s.RecordError(errors.New(message)) },
		"status": func(s *span) { s.SetStatus(codes.Error, message) },
	} {
		s := &span{}
		fail(s)
		if got := s.details.Error; strings.Contains(got, "CANARY") || !strings.Contains(got, "PostStartHookError") {
			t.Errorf("%s: %s", name, got)
		}
	}
}
