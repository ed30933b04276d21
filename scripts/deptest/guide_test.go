package deptest

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The guide leads to lines of Kubernetes' source, by the name of what stands there. An upgrade moves
// them: each is looked up in the modules of go.mod.
func TestGuideLeadsToTheSource(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join("..", "..", "web", "guide", "chapters", "*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatal(pages, err)
	}
	where := moduleDirs(t)
	links := regexp.MustCompile("\\[`([^`]+)`\\]\\(source:([^)#]+)#L(\\d+)\\)")
	found := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, link := range links.FindAllStringSubmatch(string(text), -1) {
			found++
			n, _ := strconv.Atoi(link[3])
			if line := lineOf(t, where(link[2]), n); !strings.Contains(line, link[1]) {
				t.Errorf("%s: %s is not at %s#L%d: there stands %q", filepath.Base(page), link[1], link[2], n, line)
			}
		}
	}
	if found < 20 {
		t.Fatalf("only %d links were found", found)
	}
}

// moduleDirs gives the place on disk of a path in Kubernetes' repository.
func moduleDirs(t *testing.T) func(string) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Path}} {{.Dir}}", "all").Output()
	if err != nil {
		t.Fatalf("where the modules are: %v", err)
	}
	dirs := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, dir, _ := strings.Cut(strings.TrimSpace(line), " ")
		dirs[path] = dir
	}
	return func(path string) string {
		module, rest := "k8s.io/kubernetes", path
		if staged, ok := strings.CutPrefix(path, "staging/src/k8s.io/"); ok {
			name, below, _ := strings.Cut(staged, "/")
			module, rest = "k8s.io/"+name, below
		}
		if dirs[module] == "" {
			t.Fatalf("%s: go.mod has no %s", path, module)
		}
		return filepath.Join(dirs[module], filepath.FromSlash(rest))
	}
}

func lineOf(t *testing.T, file string, number int) string {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Errorf("the guide's source: %v", err)
		return ""
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		if n == number {
			return lines.Text()
		}
	}
	return ""
}
