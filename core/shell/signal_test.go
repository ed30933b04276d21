package shell_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/shell"
)

// TestSignals sends signals at the seconds told to a shell that is process pid of its
// container, and looks at what it prints, when it ends and how.
func TestSignals(t *testing.T) {
	type sent map[time.Duration]program.Signal
	for _, c := range []struct {
		name, script string
		pid          int
		send         sent
		stdout       string
		code         int
		at           time.Duration // when it ends
	}{
		{"a trap runs after the command", "trap 'echo got; exit 3' TERM; sleep 10; echo no", 1,
			sent{2 * time.Second: program.SIGTERM}, "got\n", 3, 10 * time.Second},
		{"a trap ends wait", "trap 'echo got; exit 3' TERM; sleep 10 & wait; echo no", 1,
			sent{2 * time.Second: program.SIGTERM}, "got\n", 3, 2 * time.Second},
		{"a loop goes on after a trap", "trap 'n=x$n' USR1; while [ ${#n} -lt 2 ]; do sleep 1; done; echo $n", 1,
			sent{1500 * time.Millisecond: program.SIGUSR1, 3500 * time.Millisecond: program.SIGUSR1}, "xx\n", 0, 4 * time.Second},
		{"a trap ends a loop, with its code", "trap 'exit 3' TERM; while true; do sleep 1; done", 1,
			sent{1500 * time.Millisecond: program.SIGTERM}, "", 3, 2 * time.Second},
		{"process 1 does not hear what it does not trap", "sleep 5; echo end", 1,
			sent{time.Second: program.SIGTERM}, "end\n", 0, 5 * time.Second},
		{"another process does", "sleep 5; echo end", 2,
			sent{time.Second: program.SIGTERM}, "", 143, time.Second},
		{"an ignored signal", "trap '' TERM; sleep 5; echo end", 2,
			sent{time.Second: program.SIGTERM}, "end\n", 0, 5 * time.Second},
		{"a trap is taken back", "trap 'echo no' TERM; trap - TERM; sleep 5; echo end", 2,
			sent{time.Second: program.SIGTERM}, "", 143, time.Second},
		{"the command in the foreground gets ctrl-c", "sleep 5; echo no", 2,
			sent{time.Second: program.SIGINT}, "", 130, time.Second},
		{"and may live on", `sh -c 'trap "echo inner" INT; sleep 3; echo lives'; echo outer`, 2,
			sent{time.Second: program.SIGINT}, "inner\nlives\nouter\n", 0, time.Second},
		{"an EXIT trap runs when a signal ends the shell", "trap 'echo bye' EXIT; sleep 5", 2,
			sent{time.Second: program.SIGTERM}, "bye\n", 143, time.Second},
		{"kill among processes", "sleep 100 & p=$!; sleep 1; kill $p; wait $p; echo $?", 1,
			nil, "143\n", 0, time.Second},
		{"kill -9", "sh -c 'trap \"\" TERM; sleep 100' & p=$!; sleep 1; kill $p; sleep 1; kill -9 $p; wait $p; echo $?", 1,
			nil, "137\n", 0, 2 * time.Second},
		{"timeout", "timeout 2 sleep 10; echo $?", 1, nil, "143\n", 0, 2 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, out, errOut := container(t, "sh", "-c", c.script)
				table := program.NewTable()
				if c.pid == 2 {
					table.Adopt(&program.Process{Args: []string{"init"}})
				}
				for at, sig := range c.send {
					time.AfterFunc(at, func() {
						if err := table.Signal(c.pid, sig); err != nil {
							t.Error(err)
						}
					})
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				start := time.Now()
				code := table.Run(ctx, shell.Sh, p)
				took := time.Since(start).Round(100 * time.Millisecond)
				cancel()
				time.Sleep(time.Second) // jobs in the background end
				if out.String() != c.stdout || code != c.code || took != c.at {
					t.Errorf("prints %q, exits with %d after %v, want %q, %d and %v; stderr:\n%s",
						out.String(), code, took, c.stdout, c.code, c.at, errOut.String())
				}
			})
		})
	}
}

// TestKilled cancels the context: everything ends at once.
func TestKilled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _, _ := container(t, "sh", "-c", "trap 'echo no' TERM EXIT; sleep 100 | cat; echo no")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		shell.Sh(ctx, p)
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("ended after %v", took)
		}
		time.Sleep(time.Second)
	})
}
