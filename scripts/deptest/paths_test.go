package deptest

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Documents name files and folders in backticks. What is named must be there, so that a page is
// mended in the commit that moves what it speaks of. A file that is named without its folder stands
// in the folder that was named last in the same paragraph.
func TestDocumentsNameWhatIsThere(t *testing.T) {
	root := filepath.Join("..", "..")
	var pages []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/adr/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, found...)
	}
	if len(pages) < 20 {
		t.Fatalf("only %d pages were found: %v", len(pages), pages)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		flow := filepath.Base(page) == "flow.md"
		for _, missing := range missingPaths(string(text), os.DirFS(root), flow) {
			t.Errorf("%s names `%s`, which is not there", page, missing)
		}
	}
}

var (
	code   = regexp.MustCompile("`([^`\n]+)`")
	ours   = regexp.MustCompile(`^(core|wasm|web|nodehost|scripts|docs)/[\w./{}*-]+$`)
	source = regexp.MustCompile(`^[\w-]+\.(go|ts|mjs|css|html)$`)
	plural = regexp.MustCompile(`\{[^}]*\}`)
)

// missingPaths are the paths in a page's backticks that fsys lacks; with bare also file names
// without a folder are looked for.
func missingPaths(page string, fsys fs.FS, bare bool) []string {
	var missing []string
	for paragraph := range strings.SplitSeq(page, "\n\n") {
		var folders []string
		for line := range strings.SplitSeq(paragraph, "\n") {
			for _, m := range code.FindAllStringSubmatch(line, -1) {
				name := m[1]
				switch {
				case ours.MatchString(name):
					name = strings.TrimSuffix(name, "/...")
					folders = append(folders, folderOf(name))
					pattern := plural.ReplaceAllString(name, "*")
					if found, err := fs.Glob(fsys, strings.TrimSuffix(pattern, "/")); err != nil || len(found) == 0 {
						missing = append(missing, m[1])
					}
				case bare && source.MatchString(name) && !anywhere(fsys, folders, name):
					missing = append(missing, name)
				}
			}
		}
	}
	return missing
}

func folderOf(name string) string {
	if path.Ext(name) != "" {
		return path.Dir(name)
	}
	return strings.TrimSuffix(name, "/")
}

func anywhere(fsys fs.FS, folders []string, name string) bool {
	for _, f := range folders {
		if _, err := fs.Stat(fsys, path.Join(f, name)); err == nil {
			return true
		}
	}
	return false
}
