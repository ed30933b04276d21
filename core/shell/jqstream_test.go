package shell_test

import (
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/shell"
)

// TestJQStream: what breaks off, is no JSON or is nested without end is a parse error after what came before it, and
// what has no end is read as it comes.
func TestJQStream(t *testing.T) {
	for _, c := range []struct {
		script, stdout, stderr string
		code                   int
	}{
		{`printf '[1,[2' | jq -c --stream .`, "[[0],1]\n[[1,0],2]\n", "parse error: unexpected EOF", 2},
		{`printf '{"a" 1}' | jq -c --stream .`, "", "parse error", 2},
		{`printf '[1]]' | jq -c --stream .`, "[[0],1]\n[[0]]\n", "parse error", 2},
		{`printf '{"a":1' > f; printf '[2]' > g; jq -c --stream . f g`, "[[\"a\"],1]\n", "parse error: unexpected EOF", 2},
		{`head -c 100000 /dev/zero | tr '\0' '[' | jq -c --stream .`, "", "exceeds depth", 2},
		{`{ printf '['; yes '1,'; } | jq -c --stream . | head -1`, "[[0],1]\n", "", 0},
		{`echo '[1,2] {"a":3}' | jq -c --stream -n 'input, [inputs]'`, "[[0],1]\n[[[1],2],[[1]],[[\"a\"],3],[[\"a\"]]]\n", "", 0},
	} {
		p, out, errOut := container(t, "sh", "-c", c.script)
		if code := shell.Sh(t.Context(), p); code != c.code || out.String() != c.stdout || !strings.Contains(errOut.String(), c.stderr) {
			t.Errorf("%s: code %d, %q, %q", c.script, code, out.String(), errOut.String())
		}
	}
}
