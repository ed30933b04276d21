package tool

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

func init() {
	tools["watch"] = watch
	tools["timeout"] = timeout
	tools["time"] = timeTool
	tools["nohup"] = func(t *T) int { return t.then("PROG ARGS") }
	tools["nice"] = func(t *T) int { return t.then("PROG ARGS") }
}

// then runs the tool's arguments as a command.
func (t *T) then(usage string) int {
	if len(t.Args) < 2 {
		return t.usage(usage)
	}
	return t.exec(t.Args[1:])
}

func watch(t *T) int {
	var every string
	var noTitle bool
	args, code, ok := t.flags("[-n SEC] [-t] PROG ARGS", func(f *pflag.FlagSet) {
		f.SetInterspersed(false)
		f.StringVarP(&every, "interval", "n", "2", "")
		f.BoolVarP(&noTitle, "no-title", "t", false, "")
		f.BoolP("differences", "d", false, "")
	})
	if !ok {
		return code
	}
	interval, err := duration(every)
	if len(args) == 0 || err != nil {
		return t.usage("[-n SEC] [-t] PROG ARGS")
	}
	command := strings.Join(args, " ")
	for {
		t.print("\x1b[H\x1b[J")
		if !noTitle {
			t.printf("Every %gs: %s\n\n", interval.Seconds(), command)
		}
		if t.out.Flush() != nil {
			return 1
		}
		t.exec([]string{"sh", "-c", command})
		if !t.pause(max(interval, 100*time.Millisecond)) {
			return 0
		}
	}
}

func timeout(t *T) int {
	var kill, signal string
	args, code, ok := t.flags("[-s SIG] [-k SECS] SECS PROG ARGS", func(f *pflag.FlagSet) {
		f.SetInterspersed(false)
		f.StringVarP(&signal, "signal", "s", "", "")
		f.StringVarP(&kill, "kill-after", "k", "", "")
	})
	if !ok {
		return code
	}
	if len(args) < 2 {
		return t.usage("[-s SIG] [-k SECS] SECS PROG ARGS")
	}
	limit, err := duration(args[0])
	if err != nil {
		t.fail("%v", err)
		return 125
	}
	ctx, cancel := t.ctx, context.CancelFunc(func() {})
	if limit > 0 {
		ctx, cancel = context.WithTimeout(t.ctx, limit)
	}
	defer cancel()
	code = t.execWith(ctx, t.Stdin, t.Stdout, args[1:])
	if ctx.Err() != nil && t.ctx.Err() == nil {
		return 143 // as busybox' does: the command was sent SIGTERM
	}
	return code
}

func timeTool(t *T) int {
	start := time.Now()
	code := t.then("PROG ARGS")
	d := time.Since(start)
	_, _ = t.stderr().Write([]byte(formatTimes(d)))
	return code
}

func formatTimes(d time.Duration) string {
	return "real\t" + itoa(int(d.Minutes())) + "m " + strings.TrimSuffix((d%time.Minute).Round(10*time.Millisecond).String(), "s") +
		"s\nuser\t0m 0.00s\nsys\t0m 0.00s\n"
}
