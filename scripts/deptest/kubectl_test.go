package deptest

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Whoever upgrades kubectl reads in one table what is changed of it: each file of core/kubectl/command is in a row
// of docs/upgrading.md, and each row has a test. (That the tests are there, TestDocumentsNameTestsThatAre says.)
func TestHabitsOfKubectlAreListed(t *testing.T) {
	root := filepath.Join("..", "..")
	page, err := os.ReadFile(filepath.Join(root, "docs", "upgrading.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(page), "\n## What kubectl takes for granted\n")
	if !ok {
		t.Fatal("docs/upgrading.md has no such section")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	file, test := regexp.MustCompile("`(\\w+\\.go)`"), regexp.MustCompile(`\bTest[A-Z]\w*`)
	var listed []string
	for line := range strings.SplitSeq(section, "\n") {
		cells := strings.Split(line, "|")
		if len(cells) != 5 || strings.Contains(line, "---") || strings.Contains(line, "fails when it moves") {
			continue
		}
		files := file.FindAllStringSubmatch(cells[2], -1)
		if len(files) == 0 || !test.MatchString(cells[3]) {
			t.Errorf("a row without a file or a test: %s", line)
		}
		for _, m := range files {
			listed = append(listed, m[1])
		}
	}
	entries, err := os.ReadDir(filepath.Join(root, "core", "kubectl", "command"))
	if err != nil {
		t.Fatal(err)
	}
	var have []string
	for _, e := range entries {
		if name := e.Name(); filepath.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go") && name != "doc.go" {
			have = append(have, name)
		}
	}
	for _, name := range have {
		if !slices.Contains(listed, name) {
			t.Errorf("core/kubectl/command/%s is in no row: what does upstream take for granted there?", name)
		}
	}
	for _, name := range listed {
		if !slices.Contains(have, name) {
			t.Errorf("%s is in a row, and is not there", name)
		}
	}
	if len(have) < 20 {
		t.Errorf("only %d files: does this look at what it says?", len(have))
	}
}
