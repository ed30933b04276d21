package deptest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// serverBounds are net/http's, without which one connection holds a megabyte of headers for as long as it
// likes.
var serverBounds = []string{"ReadHeaderTimeout", "IdleTimeout", "MaxHeaderBytes"}

// Every HTTP server of ours bounds what a connection may hold before it has asked anything; those that
// nodehost/serve's serveHTTP is given are bounded there.
func TestServersAreBounded(t *testing.T) {
	found := 0
	for _, root := range []string{"core", "nodehost", "wasm"} {
		err := filepath.WalkDir(filepath.Join("..", "..", root), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			files := token.NewFileSet()
			f, err := parser.ParseFile(files, path, nil, 0)
			if err != nil {
				return err
			}
			servers, unbounded := unboundedServers(f)
			found += servers
			for _, at := range unbounded {
				t.Errorf("%s: an http.Server without %s", files.Position(at), strings.Join(serverBounds, ", "))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if found < 5 {
		t.Errorf("%d servers were found: does this look at what it says?", found)
	}
}

func TestWhatABoundedServerIs(t *testing.T) {
	for body, want := range map[string]int{
		"s := &http.Server{}": 1,
		"s := http.Server{ReadHeaderTimeout: 1, MaxHeaderBytes: 2}":                                 1,
		"s := &http.Server{ReadHeaderTimeout: 1, IdleTimeout: 1, MaxHeaderBytes: 2, Handler: x}":    0,
		"serveHTTP(ctx, &http.Server{Handler: x}, ln)":                                              0,
		"go func() { _ = serveHTTP(ctx, &http.Server{Handler: x}, ln) }(); _ = http.ListenAndServe": 1,
		"_ = http.Serve(ln, h)": 1,
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\nfunc f() {"+body+"}", 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, got := unboundedServers(f); len(got) != want {
			t.Errorf("%s: %d, want %d", body, len(got), want)
		}
	}
}

// unboundedServers counts the servers of a file, and says where those are that lack a bound.
func unboundedServers(f *ast.File) (servers int, unbounded []token.Pos) {
	bounded := map[ast.Node]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if name, ok := n.Fun.(*ast.Ident); ok && name.Name == "serveHTTP" {
				for _, a := range n.Args {
					if u, ok := a.(*ast.UnaryExpr); ok {
						bounded[u.X] = true
					}
				}
			}
		case *ast.SelectorExpr:
			// The package's own functions make a server that has no bounds.
			if isOf(n, "http", "Serve", "ServeTLS", "ListenAndServe", "ListenAndServeTLS") {
				servers++
				unbounded = append(unbounded, n.Pos())
			}
		case *ast.CompositeLit:
			if kind, ok := n.Type.(*ast.SelectorExpr); ok && isOf(kind, "http", "Server") {
				servers++
				var set []string
				for _, e := range n.Elts {
					if kv, ok := e.(*ast.KeyValueExpr); ok {
						if key, ok := kv.Key.(*ast.Ident); ok {
							set = append(set, key.Name)
						}
					}
				}
				if !bounded[n] && slices.ContainsFunc(serverBounds, func(b string) bool { return !slices.Contains(set, b) }) {
					unbounded = append(unbounded, n.Pos())
				}
			}
		}
		return true
	})
	return servers, unbounded
}

// isOf says whether an expression is one of a package's names.
func isOf(s *ast.SelectorExpr, pkg string, names ...string) bool {
	x, ok := s.X.(*ast.Ident)
	return ok && x.Name == pkg && slices.Contains(names, s.Sel.Name)
}
