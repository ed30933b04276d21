package lesson

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A link may lead to each chapter that the guide has, and to no other.
func TestChaptersAreTheGuides(t *testing.T) {
	files, err := filepath.Glob("../../web/guide/chapters/*.md")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var names []string
	for _, file := range files {
		_, name, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".md"), "-")
		names = append(names, name)
	}
	if !slices.Equal(names, chapters) {
		t.Errorf("chapters.go has\n%v, the guide has\n%v", chapters, names)
	}
}
