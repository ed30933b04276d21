package program_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tabernetes/tabernetes/core/program"
)

func sleeper(ctx context.Context, _ *program.Process) int {
	<-ctx.Done()
	return 0
}

func TestSignalsByDefault(t *testing.T) {
	for _, test := range []struct {
		pid  int
		send program.Signal
		want int
	}{
		{2, program.SIGTERM, 143},
		{2, program.SIGKILL, 137},
		{2, program.SIGCHLD, 0}, // ends by the parent's context
		{1, program.SIGTERM, 0}, // process 1 does not hear it
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			table := program.NewTable()
			if test.pid == 2 {
				go table.Run(ctx, sleeper, &program.Process{Args: []string{"init"}})
				synctest.Wait()
			}
			time.AfterFunc(time.Second, func() {
				if err := table.Signal(test.pid, test.send); err != nil {
					t.Error(err)
				}
			})
			p := &program.Process{Args: []string{"sleeper"}}
			if got := table.Run(ctx, program.DefaultSignals(sleeper), p); got != test.want {
				t.Errorf("signal %s to process %d: exit code %d, want %d", test.send.Name(), test.pid, got, test.want)
			}
			cancel()
			synctest.Wait()
			if left := table.List(); len(left) > 0 {
				t.Errorf("left in the table: %v", left)
			}
		})
	}
}

func TestPanicEndsOnlyItsProcess(t *testing.T) {
	var stderr bytes.Buffer
	p := &program.Process{Args: []string{"bad"}, Stderr: &stderr}
	code := program.NewTable().Run(t.Context(), func(context.Context, *program.Process) int { panic("oh") }, p)
	if code != 134 || !strings.Contains(stderr.String(), "panic: oh") {
		t.Errorf("code %d, stderr %s", code, stderr.String())
	}
}

func TestInputLosesNothing(t *testing.T) {
	r, w := io.Pipe()
	in := program.NewInput(r)
	ctx, cancel := context.WithCancelCause(t.Context())
	result := make(chan error)
	go func() {
		_, err := in.Reader(ctx).Read(make([]byte, 10))
		result <- err
	}()
	time.Sleep(time.Millisecond)
	cancel(program.Killed{Signal: program.SIGINT})
	if err := <-result; !errors.As(err, &program.Killed{}) {
		t.Fatalf("cancelled read: %v", err)
	}
	go func() {
		io.WriteString(w, "kept")
		w.Close()
	}()
	data, err := io.ReadAll(program.NewInput(in.Reader(t.Context())).Reader(t.Context()))
	if string(data) != "kept" || err != nil {
		t.Errorf("read %q, %v", data, err)
	}
}

func TestStreamsByName(t *testing.T) {
	fsys := program.NewFS(t.TempDir())
	mustDo(t, fsys.MkdirAll("/var/log", 0o755))
	mustDo(t, fsys.Symlink("/dev/stdout", "/var/log/access.log"))
	var init, own bytes.Buffer
	table := program.NewTable()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	running := make(chan struct{})
	go table.Run(ctx, func(ctx context.Context, _ *program.Process) int {
		close(running)
		<-ctx.Done()
		return 0
	}, &program.Process{Args: []string{"init"}, Stdout: &init})
	<-running
	p := &program.Process{Args: []string{"x"}, Dir: "/var/log", FS: fsys, Stdout: &own, Table: table}
	for _, name := range []string{"/dev/stdout", "access.log", "/proc/1/fd/1"} {
		file, err := p.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			t.Fatalf("open %s: %v", name, err)
		}
		io.WriteString(file, name+"\n")
		file.Close()
	}
	if own.String() != "/dev/stdout\naccess.log\n" || init.String() != "/proc/1/fd/1\n" {
		t.Errorf("own %q, process 1 %q", own.String(), init.String())
	}
}

func TestYieldLetsOthersRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		start := time.Now()
		y := program.Yield(ctx)
		for y.Err() == nil {
			time.Sleep(100 * time.Microsecond) // stands for work: the bubble's clock moves in sleep alone
		}
		if d := time.Since(start); d < 2*time.Second || d > 2*time.Second+10*time.Millisecond {
			t.Errorf("stopped after %v, want 2 s", d)
		}
	})
}
