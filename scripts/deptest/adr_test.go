package deptest

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// A decision has a number of its own, a state and the day on which it got it.
func TestDecisionsAreDated(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join("..", "..", "docs", "adr", "*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatal(pages, err)
	}
	status := regexp.MustCompile(`(?m)^Status: (accepted|amended|rescinded), 20\d\d-\d\d-\d\d\b`)
	numbers := map[string]string{}
	for _, page := range pages {
		number := filepath.Base(page)[:4]
		if other := numbers[number]; other != "" {
			t.Errorf("%s has the number of %s", page, other)
		}
		numbers[number] = page
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if !status.Match(text) {
			t.Errorf("%s has no line like `Status: accepted, 2026-11-22.`", page)
		}
	}
}
