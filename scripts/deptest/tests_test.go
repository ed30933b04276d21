package deptest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Pages name tests that hold what they promise. Each must be there, by its name or, as in `-run`, by its
// beginning; a part of one is named in brackets behind it, as it is written in a file of tests.
func TestDocumentsNameTestsThatAre(t *testing.T) {
	root := filepath.Join("..", "..")
	var have []string
	var texts strings.Builder
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)[A-Z]\w*)\(`)
	for _, f := range readFiles(t) {
		if !strings.HasSuffix(f.name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(f.dir), f.name))
		if err != nil {
			t.Fatal(err)
		}
		texts.Write(text)
		for _, m := range declared.FindAllSubmatch(text, -1) {
			have = append(have, string(m[1]))
		}
	}
	named := regexp.MustCompile(`\b((?:Test|Fuzz)[A-Z]\w*)(?: \("([^"\n]+)"\))?`)
	seen, parts := 0, 0
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/adr/*.md"} {
		pages, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		for _, page := range pages {
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range named.FindAllStringSubmatch(string(text), -1) {
				seen++
				if !anyBegins(have, m[1]) {
					t.Errorf("%s names %s, which is not there", page, m[1])
				}
				if m[2] == "" {
					continue
				}
				parts++
				if !strings.Contains(texts.String(), `"`+m[2]+`"`) {
					t.Errorf("%s names %q of %s, which is not there", page, m[2], m[1])
				}
			}
		}
	}
	if seen < 100 || parts < 10 {
		t.Errorf("pages name %d tests and %d parts of them: does this look at what it says?", seen, parts)
	}
}

func anyBegins(all []string, begin string) bool {
	for _, s := range all {
		if strings.HasPrefix(s, begin) {
			return true
		}
	}
	return false
}
