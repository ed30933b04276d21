package kubectl_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestASessionsMemoryIsBounded: what is typed cannot take the whole program's memory. The shell is
// told of, and the next line runs in a new one.
func TestASessionsMemoryIsBounded(t *testing.T) {
	s := shellOnly(t, nil).Session("a")
	for _, line := range []string{
		`x=kept; a=xxxxxxxx; while :; do a=$a$a; done`,
		`a=$(yes)`,
		`tr '\0' x < /dev/zero | read a`,
		`while :; do b+=(xxxxxxxxxxxxxxxxxxx yyyyyyyyyyyyyyyyyyyyy "${b[@]}"); done`,
	} {
		_, errOut, code := typed(t, s, line)
		if code != 137 || !strings.Contains(errOut, "out of memory: the shell of a terminal may hold 64 MiB") {
			t.Errorf("%s: ends with %d, says %.300q", line, code, errOut)
		}
		if out, errOut, code := typed(t, s, "echo [$x$a$b]"); out != "[]\n" || errOut != "" || code != 0 {
			t.Errorf("%s: then %.300q, %.300q and %d", line, out, errOut, code)
		}
	}
}

// TestAJobOutgrowsItsSession: in the background, with nobody's line to tell it to. The next is told.
func TestAJobOutgrowsItsSession(t *testing.T) {
	term := shellOnly(t, nil)
	s := term.Session("a")
	out, errOut, _ := typed(t, s, `{ a=xxxxxxxx; while :; do a=$a$a; done; } & wait; echo waited`)
	if strings.Contains(out, "waited") || !strings.Contains(errOut, "out of memory") {
		t.Errorf("%.300q, %.300q", out, errOut)
	}
	for range 3 { // there is enough for others, again and again
		if out, _, code := typed(t, term.Session("b"), `i=0; a=xxxxxxxx; while [ $i -lt 20 ]; do a=$a$a; i=$((i+1)); done; echo ${#a}; unset a`); out != fmt.Sprintln(8<<20) || code != 0 {
			t.Errorf("another session: %.300q and %d", out, code)
		}
	}
}

// TestASessionsProcessesAreCounted: a fork bomb is told what there is no more of.
func TestASessionsProcessesAreCounted(t *testing.T) {
	s := shellOnly(t, nil).Session("a")
	_, errOut, _ := typed(t, s, `f() { (f); }; f`)
	if !strings.Contains(errOut, "can't fork: Resource temporarily unavailable") {
		t.Errorf("it says %.300q", errOut)
	}
	if out, _, _ := typed(t, s, "echo on | cat"); out != "on\n" {
		t.Errorf("then %q", out)
	}
}
