package deptest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What the guide speaks of and where it is seen: each line names steps that the code tells, a place that the page
// has, and, where that is a chapter, a claim there that is tied to each of the steps.
func TestWhatIsSeenIsTold(t *testing.T) {
	root := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(root, "docs", "seen.md"))
	if err != nil {
		t.Fatal(err)
	}
	places, err := os.ReadFile(filepath.Join(root, "core", "trace", "places.txt"))
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]bool{}
	for line := range strings.Lines(string(places)) {
		kind, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
		told[kind] = true
	}
	rows := 0
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| the guide speaks of") {
			continue
		}
		rows++
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 6 {
			t.Errorf("%d columns, want 4: %s", len(cells)-2, line)
			continue
		}
		says, steps, place := strings.TrimSpace(cells[1]), strings.TrimSpace(cells[2]), strings.Trim(cells[3], " `")
		if !isPlaceOfThePage(root, place) {
			t.Errorf("%s: the page has no place %s", says, place)
		}
		chapter := ""
		if name, ok := strings.CutPrefix(place, "#/guide/"); ok {
			files, _ := filepath.Glob(filepath.Join(root, "web", "guide", "chapters", "[0-9][0-9]-"+name+".md"))
			for _, file := range files {
				content, _ := os.ReadFile(file)
				chapter += string(content)
			}
		}
		found := regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(steps, -1)
		if len(found) == 0 {
			t.Errorf("%s: it names no step", says)
		}
		for _, m := range found {
			kind, _, _ := strings.Cut(m[1], "@")
			if !told[kind] {
				t.Errorf("%s: nothing tells of %s (core/trace/places.txt)", says, kind)
			}
			if chapter != "" && !strings.Contains(chapter, "](step:"+m[1]) {
				t.Errorf("%s: no claim in %s is tied to %s", says, place, m[1])
			}
		}
	}
	if rows < 60 {
		t.Errorf("%d lines, want the 60 that were found at first", rows)
	}
}
