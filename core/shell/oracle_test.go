package shell_test

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/shell"
)

// TestLikeDebians: what is not of busybox prints what Debian's own program does.
func TestLikeDebians(t *testing.T) {
	for _, c := range []struct{ program, script string }{
		{"/usr/bin/rev", `printf 'abc\ndef g\n\nxäöüy\n' | rev`},
		{"/usr/bin/rev", `printf 'abc\n' > f; rev f f`},
		{"/usr/bin/envsubst", `A=1 B='two words' envsubst <<'E'` + "\n$A ${A} ${B}$B $C ${C:-d} $ {A} $$A \\$A ${A $1 a$A-\nE"},
		{"/usr/bin/envsubst", `export A=1 B=2; printf '$A $B ${B} no end $A' | envsubst '$B and ${C}'`},
		{"/usr/bin/envsubst", `envsubst -v 'x $A ${B_2} $3'`},
	} {
		if _, err := os.Stat(c.program); err != nil {
			t.Skip(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		theirs := exec.CommandContext(ctx, "/bin/sh", "-c", c.script)
		theirs.Dir, theirs.Env = t.TempDir(), []string{"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8"}
		want, err := theirs.Output()
		if err != nil {
			t.Fatalf("%s: %v", c.script, err)
		}
		p, out, errOut := container(t, "sh", "-c", c.script)
		code := shell.Sh(ctx, p)
		cancel()
		if code != 0 || errOut.String() != "" || out.String() != string(want) {
			t.Errorf("%s: code %d, %s\n%q, want %q", c.script, code, errOut.String(), out.String(), want)
		}
	}
}
