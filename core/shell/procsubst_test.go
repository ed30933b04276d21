package shell_test

import (
	"context"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/shell"
)

func TestProcessSubstitution(t *testing.T) {
	for _, c := range []scriptCase{
		{"diff <(printf 'a\\nb\\n') <(printf 'a\\nc\\n') | tail -2; ls /tmp", "-b\n+c\n", "", 0},
		{"cat <(echo a) <(cat <(echo b)); ls /tmp", "a\nb\n", "", 0},
		{"n=0; while read l; do n=$((n+1)); done < <(printf '1\\n2\\n3\\n'); echo $n", "3\n", "", 0},
		{". <(echo 'f() { echo sourced; }'); f; ls /tmp", "sourced\n", "", 0},
		{"exec 3< <(echo kept); cat <&3", "kept\n", "", 0},
		// A redirection reads a pipe: it need not end, and is not waited for.
		{"head -1 < <(yes)", "y\n", "", 0},
		{"read a < <(echo first; sleep 1000); echo $a", "first\n", "", 0},
		{"cat < <(exit 3); echo $?", "0\n", "", 0},
		{"cat < <(nosuch); echo $?", "0\n", "sh: nosuch: not found\n", 0},
		{"jobs; cat < <(echo no job); jobs", "no job\n", "", 0},
		{"f() { cat < <(cat < <(echo deep)); }; f", "deep\n", "", 0},
		{"echo x > >(sed s/x/y/); echo after; ls /tmp", "y\nafter\n", "", 0},
		{"printf 'a\\nb\\n' | tee >(grep a > one) >(wc -l) > two; cat one two; ls /tmp", "2\na\na\nb\n", "", 0},
		{"{ echo out; echo err >&2; } > >(sed s/^/1:/) 2> >(sed s/^/2:/)", "1:out\n1:2:err\n", "", 0}, // the second inherits the first, as in bash
		{"echo both &> >(cat -n)", "     1\tboth\n", "", 0},
		{"false > >(cat); echo $?", "1\n", "", 0},
		{"yes > >(head -1); echo over", "y\nover\n", "", 0},
		{"jobs; echo no job > >(cat); jobs", "no job\n", "", 0},
		{"( exec > >(cat >kept); echo logged; exec >&-; sleep 0.1 ); cat kept", "logged\n", "", 0},
		{"rmdir /tmp; cat <(echo a)", "", "sh: what <(…) prints has no file: No such file or directory\n", 2},
	} {
		t.Run(c.script, func(t *testing.T) {
			p, out, errOut := container(t, "sh", "-c", c.script)
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			code := shell.Sh(ctx, p)
			if out.String() != c.stdout || errOut.String() != c.stderr || code != c.code || ctx.Err() != nil {
				t.Errorf("prints %q, %q and exits with %d,\nwant   %q, %q and %d", out.String(), errOut.String(), code, c.stdout, c.stderr, c.code)
			}
		})
	}
}
