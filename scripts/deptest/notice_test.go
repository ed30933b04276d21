package deptest

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
)

// NOTICE names all that is compiled or bundled: every Go module that go.mod asks for itself, and every package of
// the page's that is not for its development only. And it names nothing that is not there any more.
func TestNoticeIsComplete(t *testing.T) {
	notice := readNotice(t)
	direct, all := goModules(t)
	npm, transitive := npmPackages(t)
	for _, name := range append(direct, npm...) {
		if !notice.names(name) {
			t.Errorf("NOTICE does not name %s: add it with its licence and its authors", name)
		}
	}
	there := append(all, transitive...)
	for _, pattern := range notice.patterns {
		if !(&noticed{patterns: []string{pattern}}).anyOf(there) {
			t.Errorf("NOTICE names %s, which neither go.mod nor package-lock.json has", pattern)
		}
	}
}

// noticed are the names of NOTICE, some of them with "/*" for all below.
type noticed struct{ patterns []string }

// part matches a module's path or a package's name at the beginning of a line, and what follows it by commas.
var part = regexp.MustCompile(`^(@?[a-z0-9][\w.@/*-]*)(?:,\s*|\s|$)`)

func readNotice(t *testing.T) *noticed {
	text, err := os.ReadFile("../../NOTICE")
	if err != nil {
		t.Fatal(err)
	}
	n := &noticed{}
	_, tables, _ := strings.Cut(string(text), "\nGo modules\n")
	tables, _, found := strings.Cut(tables, "\nThe texts of their licences:")
	if !found {
		t.Fatal("NOTICE has no tables, or they end otherwise")
	}
	for line := range strings.Lines(tables) {
		for rest := line; ; {
			m := part.FindStringSubmatch(rest)
			if m == nil {
				break
			}
			n.patterns = append(n.patterns, m[1])
			if !strings.Contains(rest[:len(m[0])], ",") {
				break
			}
			rest = rest[len(m[0]):]
		}
	}
	if len(n.patterns) < 50 {
		t.Fatalf("NOTICE names %d others only: %v", len(n.patterns), n.patterns)
	}
	return n
}

func (n *noticed) names(name string) bool {
	for _, p := range n.patterns {
		below, all := strings.CutSuffix(p, "*")
		if p == name || all && strings.HasPrefix(name, below) {
			return true
		}
	}
	return false
}

func (n *noticed) anyOf(names []string) bool {
	for _, name := range names {
		if n.names(name) {
			return true
		}
	}
	return false
}

// goModules are those that go.mod asks for, and those that are there because of them as well.
func goModules(t *testing.T) (direct, all []string) {
	text, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^\t([a-z][\w./-]+) v\S+( // indirect)?$`)
	for _, m := range line.FindAllStringSubmatch(string(text), -1) {
		all = append(all, m[1])
		if m[2] == "" {
			direct = append(direct, m[1])
		}
	}
	if len(direct) < 50 {
		t.Fatalf("go.mod asks for %d modules only", len(direct))
	}
	return direct, all
}

// npmPackages are those of package.json's dependencies, and those that come with them.
func npmPackages(t *testing.T) (direct, all []string) {
	text, err := os.ReadFile("../../package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	var lock struct {
		Packages map[string]struct {
			Dev          bool
			Dependencies map[string]string
		}
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		t.Fatal(err)
	}
	for name := range lock.Packages[""].Dependencies {
		direct = append(direct, name)
	}
	for path, p := range lock.Packages {
		if name, ok := strings.CutPrefix(path, "node_modules/"); ok && !p.Dev {
			all = append(all, name)
		}
	}
	if len(direct) < 10 {
		t.Fatalf("package-lock.json has %d dependencies only", len(direct))
	}
	return direct, all
}
