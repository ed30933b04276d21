package shell_test

import (
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/shell"
)

// still is a terminal of 80 columns.
type still struct{}

func (still) Size() (cols, rows int)   { return 80, 24 }
func (still) Raw(bool)                 {}
func (still) Resized() <-chan struct{} { return nil }

// TestHistory: the shell at a container's terminal knows what was typed there, and prints nothing that a terminal
// would obey; a shell that nobody types into has no such program.
func TestHistory(t *testing.T) {
	p, out, errOut := container(t, "sh")
	p.Terminal = still{}
	p.Stdin = strings.NewReader("echo one\rif true; then\recho two; fi\rhistory 2\rhistory -c\rhistory\rhistory x\rexit\r")
	if code := shell.Sh(t.Context(), p); code != 1 {
		t.Errorf("code %d", code)
	}
	for _, want := range []string{"    2  if true; then\necho two; fi\n    3  history 2\n", "\n    1  history\n"} {
		if got := strings.ReplaceAll(out.String(), "\r\n", "\n"); !strings.Contains(got, want) {
			t.Errorf("%q has no %q", got, want)
		}
	}
	if got := errOut.String(); !strings.Contains(got, "history: x: numeric argument required\n") {
		t.Errorf("errors %q", got)
	}
	p, _, errOut = container(t, "sh", "-c", "history")
	if code := shell.Sh(t.Context(), p); code != 127 || errOut.String() != "sh: history: not found\n" {
		t.Errorf("code %d, %q", code, errOut.String())
	}
}
