package deptest

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

// Pages name tests in Chromium and under vitest by their file, and by titles behind it: `web/a.test.ts` "is bounded".
// File and titles must be there: a title, or its beginning, or a part of it, as with `-t`.
func TestDocumentsNameTitlesThatAre(t *testing.T) {
	root := filepath.Join("..", "..")
	titles := 0
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
			// Whoever trusts a promise is told which test it is, not only in which file.
			wrong, n := wrongTitles(string(text), os.DirFS(root), filepath.Base(page) == "SECURITY.md")
			titles += n
			for _, w := range wrong {
				t.Errorf("%s: %s", page, w)
			}
		}
	}
	if titles < 50 {
		t.Errorf("pages name %d titles: does this look at what it says?", titles)
	}
}

var (
	// cited is a file of tests and the titles behind it, in quotes, with commas between and perhaps in brackets.
	cited = regexp.MustCompile("([\\w./-]+\\.test\\.(?:mjs|ts))`?((?:,? \\(?\"[^\"\n]+\"\\)?)*)")
	quote = regexp.MustCompile(`"([^"\n]+)"`)
	// runs are the command lines that run files of scripts/e2e by their names.
	runs = regexp.MustCompile("run\\.mjs((?: [a-z][a-z-]*)+)")
	// titled is where a test or a group of them begins, also one of a table by each(…)(…), and its title.
	titled = regexp.MustCompile("(?:\\b(?:test|it|describe)(?:\\.\\w+)*|[\\w\\])}]\\))\\(\\s*(?:\"((?:[^\"\\\\\n]|\\\\.)*)\"|'((?:[^'\\\\\n]|\\\\.)*)'|`((?:[^`\\\\]|\\\\.)*)`)")
	hole   = regexp.MustCompile(`\$\{[^}]*\}|%[sdjo]|\$\w+`)
)

// wrongTitles are the files of tests and the titles that a page names and fsys lacks, and how many titles it names. With
// each set a file without a title is one, too. A file that is named without its folder stands in the one that was named
// before it in its line.
func wrongTitles(page string, fsys fs.FS, each bool) (wrong []string, titles int) {
	for line := range strings.SplitSeq(page, "\n") {
		folder := "scripts/e2e"
		for _, m := range cited.FindAllStringSubmatch(line, -1) {
			file := m[1]
			if strings.Contains(file, "/") {
				folder = path.Dir(file)
			} else {
				file = path.Join(folder, file)
			}
			text, err := fs.ReadFile(fsys, file)
			if err != nil {
				wrong = append(wrong, file+" is not there")
				continue
			}
			named := quote.FindAllStringSubmatch(m[2], -1)
			if each && len(named) == 0 {
				wrong = append(wrong, file+" is named without a test's title")
			}
			for _, q := range named {
				titles++
				if !hasTitle(string(text), q[1]) {
					wrong = append(wrong, file+" has no test "+q[0])
				}
			}
		}
		for _, m := range runs.FindAllStringSubmatch(line, -1) {
			for _, name := range strings.Fields(m[1]) {
				if _, err := fs.Stat(fsys, "scripts/e2e/"+name+".test.mjs"); err != nil {
					wrong = append(wrong, "scripts/e2e/"+name+".test.mjs is not there")
				}
			}
		}
	}
	return wrong, titles
}

// hasTitle tells whether a file has a test whose title contains what is said; what a title takes from a variable may be anything.
func hasTitle(file, said string) bool {
	for _, m := range titled.FindAllStringSubmatch(file, -1) {
		title := strings.NewReplacer(`\"`, `"`, `\'`, `'`, "\\`", "`").Replace(m[1] + m[2] + m[3])
		if strings.Contains(title, said) {
			return true
		}
		parts := hole.Split(title, -1)
		const words = 8 // a title that is little but variables says nothing
		if len(parts) > 1 && len(strings.Join(parts, "")) >= words {
			for i, p := range parts {
				parts[i] = regexp.QuoteMeta(p)
			}
			if regexp.MustCompile("^(?s:" + strings.Join(parts, ".*") + ")$").MatchString(said) {
				return true
			}
		}
	}
	return false
}

func TestWhatATitleIs(t *testing.T) {
	fsys := fstest.MapFS{
		"web/a/a.test.ts":            {Data: []byte("describe(\"what is refused\", () => {\n  it.each(bad)(\"%s is refused for good\", () => 0);\n  test('one\\'s own', () => 0);\n})")},
		"web/a/b.test.ts":            {Data: []byte("test(`every view, quickly: ${device}`, () => 0);\ntest(`${a} ${b}`, () => 0)")},
		"scripts/e2e/views.test.mjs": {Data: []byte("test(\n  \"a view\",\n  () => 0)")},
	}
	for page, want := range map[string]int{
		"`web/a/a.test.ts` \"what is refused\"":                                   0,
		"web/a/a.test.ts \"one's own\", b.test.ts \"every view, quickly: phone\"": 0,
		"web/a/a.test.ts (\"is refused for good\", \"one's\")":                    0,
		"views.test.mjs \"a view\", \"another\"":                                  1,
		"web/a/a.test.ts \"is refused for ever\"":                                 1,
		"web/a/b.test.ts \"any two\"":                                             1,
		"web/a/b.test.ts, a.test.ts \"what is refused\"":                          1, // the first has no title
		"`web/a/c.test.ts` \"what is refused\"":                                   1,
		"`node scripts/e2e/run.mjs views faults`":                                 1,
		"a line about a.test.ts\nin web/a/b.test.ts \"every view\"":               1,
	} {
		if got, _ := wrongTitles(page, fsys, true); len(got) != want {
			t.Errorf("%s: %q, want %d", page, got, want)
		}
	}
}
