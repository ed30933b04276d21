package deptest

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What a package's comment says of its imports is read by people, and checked here: each package of
// this repository that it imports is named in the comment, by its path or its last word. Sentences
// that name many at once are in covers.
func TestCommentsNameTheImports(t *testing.T) {
	docs, imports := map[string]string{}, map[string][]string{}
	for _, f := range readFiles(t) {
		if strings.HasSuffix(f.name, "_test.go") {
			continue
		}
		docs[f.dir] += " " + strings.Join(strings.Fields(f.doc), " ")
		for _, i := range f.imports {
			if rest, ours := strings.CutPrefix(i, module+"/"); ours && !slices.Contains(imports[f.dir], rest) {
				imports[f.dir] = append(imports[f.dir], rest)
			}
		}
	}
	for dir, doc := range docs {
		if !saysImports.MatchString(doc) {
			if top, _, _ := strings.Cut(dir, "/"); top != "scripts" && strings.Contains(dir, "/") {
				t.Errorf("%s: the package's comment does not say what it may import", dir)
			}
			continue
		}
		for _, i := range imports[dir] {
			if !named(doc, dir, i) {
				t.Errorf("%s imports %s, which its package comment does not name", dir, i)
			}
		}
	}
}

var saysImports = regexp.MustCompile(`(?i)\b(may import|may be imported|imports?|must not import|must never import)\b`)

// covers are the sentences that name many packages at once, and below which folder they allow them.
var covers = map[string]string{
	"every package of core":            "core",
	"everything of core and wasm":      "core",
	"all that the cluster is made of":  "core",
	"nearly everything below nodehost": "nodehost",
	"what nodehost/join starts":        "nodehost",
	"nodehost's network packages":      "nodehost",
	"core/node's helpers":              "core/node",
}

// ground are the small rooms that everybody may stand on without a word (core/doc.go lists them).
var ground = []string{"core/accept", "core/goroutine", "core/group", "core/trace", "core/version", "core/wholefile"}

func named(doc, dir, imported string) bool {
	// What is below a package is a part of it.
	if slices.Contains(ground, imported) || strings.HasPrefix(imported, dir+"/") {
		return true
	}
	for sentence, below := range covers {
		if strings.Contains(doc, sentence) && strings.HasPrefix(imported, below+"/") {
			return true
		}
	}
	names := []string{path.Base(imported)}
	for p := imported; strings.Contains(p, "/"); p = path.Dir(p) {
		names = append(names, p) // a folder stands for what is below it
	}
	return slices.ContainsFunc(names, func(name string) bool {
		return regexp.MustCompile(`(^|[^\w/])` + regexp.QuoteMeta(name) + `($|[^\w/])`).MatchString(doc)
	})
}
