package deptest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// file is one Go file's imports.
type file struct {
	dir     string // of the repository, slash-separated
	name    string
	pkg     string
	imports []string
	doc     string // the package comment
}

func readFiles(t *testing.T) []file {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	var files []file
	err = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if p != root && (strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") ||
				slices.Contains([]string{"out", "vendor", "node_modules", "testdata", "dist"}, name)) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, filepath.Dir(p))
		if err != nil {
			return err
		}
		files = append(files, file{filepath.ToSlash(rel), name, f.Name.Name, importsOf(f), f.Doc.Text()})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func importsOf(f *ast.File) []string {
	var paths []string
	for _, i := range f.Imports {
		if p, err := strconv.Unquote(i.Path.Value); err == nil {
			paths = append(paths, p)
		}
	}
	return paths
}

func TestImports(t *testing.T) {
	for _, f := range readFiles(t) {
		for _, b := range broken(f) {
			t.Error(b)
		}
	}
}

// broken are the rules that a file breaks.
func broken(f file) []string {
	var bad []string
	for _, r := range rules {
		if strings.HasSuffix(f.name, "_test.go") && !r.tests || !matchAny(r.in, f.dir) || matchAny(r.except, f.dir) {
			continue
		}
		for _, i := range f.imports {
			if matchAny(r.ban, i) && !standsOn(f.dir, i) {
				bad = append(bad, fmt.Sprintf("%s imports %s: %s", path.Join(f.dir, f.name), i, r.reason))
			}
		}
	}
	return bad
}

// standsOn tells whether a package stands on footing that is not of its own.
func standsOn(dir, imported string) bool {
	rest, ours := strings.CutPrefix(imported, module+"/")
	return ours && slices.Contains(footing, rest) && !slices.Contains(footing, dir)
}

func matchAny(patterns []string, p string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		if rest, ok := strings.CutPrefix(pattern, "./"); ok {
			pattern = module + "/" + rest
		}
		if pattern == "..." {
			return true
		}
		if base, ok := strings.CutSuffix(pattern, "/..."); ok {
			return p == base || strings.HasPrefix(p, base+"/")
		}
		return p == pattern
	})
}

// A rule that bans what nobody could import is a slip of the pen.
func TestRulesBindSomething(t *testing.T) {
	files := readFiles(t)
	for _, r := range rules {
		if r.reason == "" {
			t.Errorf("the ban of %v has no reason", r.ban)
		}
		for _, in := range append(slices.Clone(r.in), r.except...) {
			if !slices.ContainsFunc(files, func(f file) bool { return matchAny([]string{in}, f.dir) }) {
				t.Errorf("the ban of %v binds %s, where nothing is", r.ban, in)
			}
		}
	}
	if got := broken(file{dir: "core/node", name: "x.go", imports: []string{"syscall/js", module + "/wasm/jsx"}}); len(got) != 2 {
		t.Errorf("a file that breaks two rules is told of %v", got)
	}
}

func TestEveryPackageSaysWhatItIs(t *testing.T) {
	docs, dirs := map[string]bool{}, map[string]bool{}
	for _, f := range readFiles(t) {
		if strings.HasSuffix(f.name, "_test.go") || f.dir == "." {
			continue
		}
		dirs[f.dir] = true
		if f.doc != "" {
			docs[f.dir] = true
		}
		if base := path.Base(f.dir); slices.Contains([]string{"util", "utils", "common", "helpers"}, base) {
			t.Errorf("%s: a name that says nothing", f.dir)
		}
	}
	for dir := range dirs {
		if !docs[dir] {
			t.Errorf("%s has no package comment", dir)
		}
	}
}

// An overlay is built from the repository's own files: no upstream source may lie in it.
func TestNoUpstreamFileInTheRepository(t *testing.T) {
	root := "../../wasm/overlay/_files"
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		for _, mark := range []string{"The Go Authors", "The Kubernetes Authors", "Copyright"} {
			if strings.Contains(string(b), mark) {
				t.Errorf("%s holds %q: it looks like a copy of upstream's file", p, mark)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
