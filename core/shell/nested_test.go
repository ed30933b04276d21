package shell_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/shell"
)

// nested are programs within programs, each many times over, and what is said of them. Run as js
// (scripts/test-js), they go deeper than the engine's stack; wasm/overlay has why that holds.
var nested = []struct{ name, script, says string }{
	{"commands from a pipe", "yes 'if true; then' | sh", "nested too deeply"},
	{"commands in a variable", `eval "$(yes 'if true; then' | head -n 20000)"`, "nested too deeply"},
	{"commands", strings.Repeat("if true; then\n", 50_000), "nested too deeply"},
	{"subshells", strings.Repeat("(", 100_000), "nested too deeply"},
	{"parentheses", "echo $((" + strings.Repeat("(", 100_000), "nested too deeply"},
	{"defaults", "echo " + strings.Repeat("${a:-", 50_000), "nested too deeply"},
	{"substitutions", "echo " + strings.Repeat("$(", 50_000), "nested too deeply"},
	{"backquotes", "echo " + strings.Repeat("`", 50_001), "syntax error"},
	{"negations", "[[ " + strings.Repeat("! ", 100_000), "nested too deeply"},
	{"groups that are run", strings.Repeat("{ ", 2500) + "echo in" + strings.Repeat("; }", 2500), ""},
	{"negations that are run", "[[ " + strings.Repeat("! ", 3000) + "a ]]", ""},
	{"defaults that are used", "echo " + strings.Repeat("${a:-", 1000) + "x" + strings.Repeat("}", 1000), ""},
	{"parentheses that are counted", "echo $((" + strings.Repeat("(", 500) + "1" + strings.Repeat(")", 500) + "))", ""},
	{"functions", "f() { f; }; f", "nested too deeply"},
	{"a list", "true" + strings.Repeat(" && true", 50_000), "nested too deeply"},
	{"a sum", "echo $((1" + strings.Repeat("+1", 200_000) + "))", "nested too deeply"},
	{"a sum in a test", "[[ 1 -eq 1" + strings.Repeat("+1", 200_000) + " ]]", "nested too deeply"},
	{"conditions", "[[ a" + strings.Repeat(" && a", 100_000) + " ]]", "nested too deeply"},
	{"groups of an expression", "echo x | grep -E '" + strings.Repeat("(", 100_000) + "'", "bad regular expression '((("},
	{"groups of awk", "awk 'BEGIN { print " + strings.Repeat("(", 100_000) + "}'", "nested too deeply"},
	{"blocks of awk", "awk 'BEGIN " + strings.Repeat("{", 100_000) + "}'", "nested too deeply"},
	{"negations of awk", "awk 'BEGIN { print " + strings.Repeat("!", 100_000) + "1}'", "nested too deeply"},
	{"a sum of awk", "awk 'BEGIN { print 1" + strings.Repeat("+1", 100_000) + "}'", "nested too deeply"},
	{"fields of awk", "awk 'BEGIN { print " + strings.Repeat("$", 100_000) + "1}'", "nested too deeply"},
	{"steps of awk", "awk 'BEGIN { print " + strings.Repeat("++", 50_000) + "x}'", "nested too deeply"},
	{"parentheses in a variable", "x=$(head -c 1000000 /dev/zero | tr '\\0' '('); [[ $x -eq 1 ]]", "nested too deeply"},
	{"an expression that is long and in a variable", "x=1$(yes +1 | head -n 100000 | tr -d '\\n'); [[ $x -eq 1 ]]", "nested too deeply"},
	{"a recursion of awk", "awk 'function f() { return f() } BEGIN { f() }'", "nested too deeply"},
	{"blocks of sed", "echo x | sed '" + strings.Repeat("{", 100_000) + "'", ""},
	{"parentheses of find", "find / " + strings.Repeat("\\( ", 20_000), "nested too deeply"},
	{"negations of find", "find / " + strings.Repeat("! ", 20_000), "nested too deeply"},
	{"negations of test", "test " + strings.Repeat("! ", 20_000), ""},
	{"parentheses of expr", "expr " + strings.Repeat("\\( ", 20_000), "nested too deeply"},
	{"lengths of expr", "expr " + strings.Repeat("length ", 20_000), "nested too deeply"},
}

// TestNested: whoever nests without end is told so and ends; nothing else does.
func TestNested(t *testing.T) {
	for _, c := range nested {
		t.Run(c.name, func(t *testing.T) {
			p, out, errOut := container(t, "sh", "-c", c.script)
			code := shell.Sh(t.Context(), p)
			said := fmt.Sprintf("ends with %d, prints %.100q, says %.300q", code, out, errOut)
			if !strings.Contains(errOut.String(), c.says) || strings.Contains(errOut.String(), "internal error") {
				t.Error(said)
			}
			if strings.Count(errOut.String(), "\n") > 3 {
				t.Errorf("more than a sentence: %s", said)
			}
		})
	}
}
