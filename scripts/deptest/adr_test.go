package deptest

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// A decision has a state and the day on which it got it.
func TestDecisionsAreDated(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join("..", "..", "docs", "adr", "*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatal(pages, err)
	}
	status := regexp.MustCompile(`(?m)^Status: (accepted|amended|rescinded), 20\d\d-\d\d-\d\d\b`)
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if !status.Match(text) {
			t.Errorf("%s has no line like `Status: accepted, 2026-11-22.`", page)
		}
	}
}
