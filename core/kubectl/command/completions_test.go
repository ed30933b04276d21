package command

import (
	"bytes"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/program"
)

// TestNothingOfACommandStays: cobra's table of completions has as many flags after a command as before it,
// also if it failed or asked for a completion itself.
func TestNothingOfACommandStays(t *testing.T) {
	kubectl := New(Options{Kubeconfig: "/usual", CacheDir: "/cache"})
	registered := func() int {
		flagCompletionMutex.RLock()
		defer flagCompletionMutex.RUnlock()
		return len(flagCompletionFunctions)
	}
	for _, line := range []struct {
		args, out string
		code      int
	}{
		{args: "version --client", out: "Client Version"},
		{args: "config view", out: "apiVersion: v1"},
		{args: "config no-such-verb --context=a --flag", code: 1},
		{args: "__complete get -o=js", out: "json"},
	} {
		before := registered()
		var out bytes.Buffer
		code := kubectl(t.Context(), &program.Process{
			FS: program.NewFS(t.TempDir()), Dir: "/", Args: append([]string{"kubectl"}, strings.Fields(line.args)...),
			Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out,
		})
		if code != line.code || !strings.Contains(out.String(), line.out) {
			t.Errorf("kubectl %s ends with %d and says %s", line.args, code, &out)
		}
		if after := registered(); after != before {
			t.Errorf("kubectl %s leaves %d flags behind", line.args, after-before)
		}
	}
}
