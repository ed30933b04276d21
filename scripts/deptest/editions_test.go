package deptest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// What the guide's editions say that is not so any more: each line names an edition, a line of source in the version
// that is built, where what it names does stand, and a place that the page has.
func TestEditionsAreCheckable(t *testing.T) {
	root := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(root, "docs", "editions.md"))
	if err != nil {
		t.Fatal(err)
	}
	version, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", "k8s.io/kubernetes").Output()
	if err != nil {
		t.Fatal(err)
	}
	link := regexp.MustCompile("^\\[`([^`]+)`\\]\\(https://github.com/kubernetes/kubernetes/blob/([^/]+)/([^)#]+)#L(\\d+)\\)$")
	where := moduleDirs(t)
	rows := 0
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| the editions say") {
			continue
		}
		rows++
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "| "), " | ")
		if len(cells) != 5 {
			t.Errorf("%d cells, want 5: %s", len(cells), line)
			continue
		}
		says, editions, today, source, here := cells[0], cells[1], cells[2], cells[3], cells[4]
		if says == "" || today == "" || !regexp.MustCompile(`^[abcd]( [abcd])*$`).MatchString(editions) {
			t.Errorf("no edition says it, or nothing holds today: %s", line)
		}
		m := link.FindStringSubmatch(source)
		if m == nil {
			t.Errorf("%s: the source is no link to a line: %s", says, source)
			continue
		}
		if want := strings.TrimSpace(string(version)); m[2] != want {
			t.Errorf("%s: its source is that of %s, %s is built", says, m[2], want)
		}
		n, _ := strconv.Atoi(m[4])
		if at := lineOf(t, where(m[3]), n); !strings.Contains(at, m[1]) {
			t.Errorf("%s: %s is not at %s#L%d: there stands %q", says, m[1], m[3], n, at)
		}
		if !isPlaceOfThePage(root, strings.Trim(here, "`")) {
			t.Errorf("%s: the page has no place %s", says, here)
		}
	}
	if rows < 46 {
		t.Errorf("%d lines, want the 46 that were found at first", rows)
	}
}

// isPlaceOfThePage tells whether an address is that of one of the guide's chapters, or of a view.
func isPlaceOfThePage(root, address string) bool {
	name, ok := strings.CutPrefix(address, "#/")
	if !ok {
		return false
	}
	if chapter, ok := strings.CutPrefix(name, "guide/"); ok {
		found, _ := filepath.Glob(filepath.Join(root, "web", "guide", "chapters", "[0-9][0-9]-"+chapter+".md"))
		return len(found) == 1
	}
	found := false
	for _, file := range []string{"workbench.ts", "traced.ts"} {
		text, _ := os.ReadFile(filepath.Join(root, "web", file))
		found = found || strings.Contains(string(text), `name: "`+name+`"`)
	}
	return found
}
