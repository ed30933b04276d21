//go:build !js

package shell_test

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/shell"
	"github.com/tabernetes/tabernetes/core/shell/interp"
)

// script is one case of mvdan.cc/sh/v3/interp's own table: what it runs and what it prints,
// with "exit status N" at the end and "#IGNORE" or "#JUSTERR" where shells differ in words.
type script struct{ in, want string }

// TestUpstreamScripts runs the table of scripts of the version in go.mod.
func TestUpstreamScripts(t *testing.T) {
	scripts := upstreamScripts(t)
	passed, skipped := 0, 0
	for i, c := range scripts {
		if why := differs(c); why != "" {
			skipped++
			continue
		}
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			got := runScript(t, c.in)
			want := c.want
			if _, _, loose := strings.Cut(want, " #"); loose { // shells differ in words and in the number
				got, want = failure(got), failure(want)
			}
			if got == want {
				passed++
				return
			}
			t.Errorf("script:\n%s\nprints:\n%q\nwant:\n%q", c.in, got, want)
		})
	}
	t.Logf("%d scripts: %d pass, %d left out", len(scripts), passed, skipped)
	if skipped != leftOut {
		t.Errorf("%d scripts are left out, of %d; it were %d: a table that has grown is read before it is passed over", skipped, len(scripts), leftOut)
	}
}

func failure(out string) string {
	if strings.Contains(out, "exit status ") {
		return "fails"
	}
	return "succeeds"
}

func upstreamScripts(t *testing.T) []script {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "mvdan.cc/sh/v3").Output()
	if err != nil {
		t.Fatalf("find mvdan.cc/sh/v3: %v", err)
	}
	name := filepath.Join(strings.TrimSpace(string(dir)), "interp", "interp_test.go")
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var scripts []script
	for _, decl := range file.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.VAR {
			continue
		}
		for _, spec := range gen.Specs {
			v := spec.(*ast.ValueSpec)
			if v.Names[0].Name != "runTests" {
				continue
			}
			for _, elt := range v.Values[0].(*ast.CompositeLit).Elts {
				lit := elt.(*ast.CompositeLit)
				in, ok1 := text(lit.Elts[0])
				want, ok2 := text(lit.Elts[1])
				if ok1 && ok2 {
					scripts = append(scripts, script{in, want})
				}
			}
		}
	}
	if len(scripts) < 500 {
		t.Fatalf("found %d scripts in %s only", len(scripts), name)
	}
	return scripts
}

// text is the value of a string literal, or of a sum of them.
func text(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		return s, err == nil
	case *ast.BinaryExpr:
		a, ok1 := text(e.X)
		b, ok2 := text(e.Y)
		return a + b, ok1 && ok2
	}
	return "", false
}

func runScript(t *testing.T, src string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	tools := shell.Tools()
	var out lockedBuffer
	fsys := program.NewFS(t.TempDir())
	for _, dir := range []string{"/tmp", "/home/u", "/work", "/bin"} {
		if err := fsys.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s := interp.New(ctx, &program.Process{
		Env: []string{"HOME=/home/u", "INTERP_GLOBAL=value", "MULTILINE_INTERP_GLOBAL=\nwith\nnewlines\n\n",
			"MIXEDCASE_INTERP_GLOBAL=value", "PATH_PROG=sh", "ENV_PROG=env", "PATH=/bin"},
		Dir: "/work", FS: fsys, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out,
		Lookup: func(name string) (program.Program, bool) {
			prog, ok := tools[strings.TrimPrefix(name, "/bin/")]
			return prog, ok
		},
	})
	status := s.Run(ctx, src)
	if !s.Exited() {
		status = s.End(ctx)
	}
	if ctx.Err() != nil {
		return out.String() + "[timed out]"
	}
	if status != 0 {
		fmt.Fprintf(&out, "exit status %d", status)
	}
	return out.String()
}

// differs tells why a script of the table is left out; "" if it is not.
func differs(c script) string {
	switch {
	case c.in == "return", strings.HasSuffix(c.in, "source a; return"), strings.HasSuffix(c.in, "source ./a; return"):
		return "return leaves a shell that is in no function, as in ash"
	case c.in == "getopts":
		return "other words"
	case c.in == "cd ''":
		return "stays where it is, as in ash"
	case c.in == "shopt -p", c.in == "shopt -q", c.in == "echo foo 5>a", c.in == "echo foo >|a", strings.HasSuffix(c.in, "read -r line <>a"):
		return "the table's own shell cannot, this one can"
	case strings.HasPrefix(c.in, "touch az a1z a12z a123z; echo a?("):
		return "an expansion that fails ends the shell, as in ash"
	}
	for _, d := range deviations {
		if strings.Contains(c.in, d.has) {
			return d.why
		}
	}
	return ""
}

// leftOut is how many scripts of the table differs passes over.
const leftOut = 68

// deviations are what the table has and this shell means not to.
var deviations = []struct{ has, why string }{
	{"GOSH_PROG", "runs the test binary itself"},
	{"$PATH_PROG", "runs a program of the machine"},
	{"coproc", "not supported"},
	{"select ", "not supported"},
	{"mkfifo", "no named pipes"},
	{">(", "writing to a process is not supported"},
	{`"gosh"`, "$0 is sh"},
	{"$SRANDOM", "bash's"},
	{"DIRSTACK", "bash's"},
	{"pushd -n", "bash's"},
	{"popd -n", "bash's"},
	{"command -v does-not-exist", "exit code 127, as ash's"},
	{"grep -q 'is a directory'", "Is a directory, as libc says it"},
	{"[[ a =~ [ ]]", "says what is wrong"},
	{"interp_foo='bar baz'\ntype interp_foo", "other words, and aliases are expanded, as in ash"},
	{"readonly RANDOM; RANDOM=99", "an assignment that fails ends the shell, as in ash"},
	{"readonly i; ((i=3))", "an assignment that fails ends the shell, as in ash"},
	{"${a[-2]}", "an expansion that fails ends the shell, as in ash"},
	{"$((1/0 && x++))", "an expansion that fails ends the shell, as in ash"},
	{"{0..9999999999}", "an expansion that fails ends the shell, as in ash"},
	{"shopt inherit_errexit", "not here, which is said"},
	{"*a!(b)", "a pattern that is not matched is an error, not an output"},
	{"!(foo)!(bar)", "a pattern that is not matched is an error, not an output"},
	{".*!(foo)", "a pattern that is not matched is an error, not an output"},
	{"getopts\n", "words"},
}
