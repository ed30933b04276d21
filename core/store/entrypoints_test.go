package store_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	storagetesting "k8s.io/apiserver/pkg/storage/testing"
)

// TestAllEntryPointsAreRun fails when upstream's suite has an entry point that no
// test here calls, as an upgrade may bring.
func TestAllEntryPointsAreRun(t *testing.T) {
	run := reflect.ValueOf(storagetesting.RunTestCreate).Pointer()
	file, _ := runtime.FuncForPC(run).FileLine(run)
	if !filepath.IsAbs(file) {
		t.Skipf("built with -trimpath: %s cannot be read", file)
	}
	var want []string
	for _, f := range parseDir(t, filepath.Dir(file)) {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Run") {
				want = append(want, fn.Name.Name)
			}
		}
	}
	var called []string
	for _, f := range parseDir(t, ".") {
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && x.Name == "storagetesting" {
					called = append(called, s.Sel.Name)
				}
			}
			return true
		})
	}
	for _, name := range want {
		if !slices.Contains(called, name) {
			t.Errorf("storagetesting.%s is not run", name)
		}
	}
	// 34 for storage, 21 for watches, 3 benchmarks in v0.36.3.
	if len(want) < 58 {
		t.Errorf("only %d entry points found in %s", len(want), filepath.Dir(file))
	}
}

func parseDir(t *testing.T, dir string) []*ast.File {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no Go files in %s: %v", dir, err)
	}
	var files []*ast.File
	for _, name := range names {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return files
}
