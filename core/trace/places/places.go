// Package places finds the places that taps declare (trace.Place) in the modules of go.mod. It is for
// tests: it asks the go command where the sources are.
//
// It may import the standard library and core/trace only.
package places

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/tabernetes/tabernetes/core/trace"
)

// Table is what core/trace/places.txt has to say of kinds: a line each, with key, file in Kubernetes'
// repository and line, or the key alone of what upstream has not. It fails if a place is not there, or is
// twice.
func Table(kinds []*trace.Kind) (string, error) {
	dirs, err := directories(kinds)
	if err != nil {
		return "", err
	}
	var table strings.Builder
	for _, k := range kinds {
		if k.Place == (trace.Place{}) {
			fmt.Fprintln(&table, k.Key())
			continue
		}
		file, line, err := find(dirs[k.Place.Package], k.Place)
		if err != nil {
			return "", fmt.Errorf("%s: %w\nwhat to do: read the new source, and correct the tap's trace.Declare", k.Key(), err)
		}
		if path := inRepository(k.Place.Package); path != "" {
			fmt.Fprintf(&table, "%s\t%s/%s\t%d\n", k.Key(), path, file, line)
		}
	}
	return table.String(), nil
}

// inRepository is where a package lies in Kubernetes' repository; "" for one of another.
func inRepository(pkg string) string {
	if path, ok := strings.CutPrefix(pkg, "k8s.io/kubernetes/"); ok {
		return path
	}
	if strings.HasPrefix(pkg, "k8s.io/") && !strings.HasPrefix(pkg, "k8s.io/utils") && !strings.HasPrefix(pkg, "k8s.io/klog") {
		return "staging/src/" + pkg
	}
	// What it vendors, at the versions of go.mod (scripts/versions).
	if strings.HasPrefix(pkg, "golang.org/x/oauth2") || pkg == "github.com/coreos/go-oidc" {
		return "vendor/" + pkg
	}
	return ""
}

func directories(kinds []*trace.Kind) (map[string]string, error) {
	args := []string{"list", "-find", "-f", "{{.ImportPath}}\t{{.Dir}}"}
	dirs := map[string]string{}
	for _, k := range kinds {
		if pkg := k.Place.Package; pkg != "" && dirs[pkg] == "" {
			dirs[pkg] = "?"
			args = append(args, pkg)
		}
	}
	if len(dirs) == 0 {
		return dirs, nil
	}
	var stderr bytes.Buffer
	list := exec.Command("go", args...)
	list.Stderr = &stderr
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, stderr.String())
	}
	for line := range strings.Lines(string(out)) {
		pkg, dir, _ := strings.Cut(strings.TrimSpace(line), "\t")
		dirs[pkg] = dir
	}
	return dirs, nil
}

// find gives the file, below the package, and the line.
func find(dir string, p trace.Place) (file string, line int, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		return "", 0, fmt.Errorf("package %s has no files", p.Package)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		source, err := os.ReadFile(name)
		if err != nil {
			return "", 0, err
		}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, name, source, parser.SkipObjectResolution)
		if err != nil {
			return "", 0, err
		}
		for _, d := range parsed.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || nameOf(f) != p.Func {
				continue
			}
			from, to := set.Position(f.Pos()).Offset, set.Position(f.End()).Offset
			body := source[from:to]
			if n := bytes.Count(body, []byte(p.Text)); n != 1 {
				return "", 0, fmt.Errorf("%s in %s has %q %d times, must be once", p.Func, name, p.Text, n)
			}
			at := from + bytes.Index(body, []byte(p.Text))
			return filepath.Base(name), 1 + bytes.Count(source[:at], []byte("\n")), nil
		}
	}
	return "", 0, fmt.Errorf("package %s has no function %s", p.Package, p.Func)
}

// nameOf is "Func" or "Type.Method".
func nameOf(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return f.Name.Name
	}
	t := f.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.Ident:
			return x.Name + "." + f.Name.Name
		default:
			return f.Name.Name
		}
	}
}
