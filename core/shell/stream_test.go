package shell_test

import (
	"context"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/shell"
)

// TestEndlessInput: what needs no more than the beginning ends, though its input never does.
func TestEndlessInput(t *testing.T) {
	for _, c := range []scriptCase{
		{"yes | sed 1q", "y\n", "", 0},
		{"yes | sed -n '2{p;q}'", "y\n", "", 0},
		{"yes | sed 's/y/n/' | head -2", "n\nn\n", "", 0},
		{"yes a b | xargs -n 3 echo | head -2", "a b a\nb a b\n", "", 0},
		{"yes a | xargs -I{} echo '<{}>' | head -1", "<a>\n", "", 0},
		{"yes | tail -n +3 | head -1; yes | tail -c +2 | head -1", "y\n\n", "", 0},
		{"yes | head -n -2 | head -1; yes | head -c -3 | head -1", "y\ny\n", "", 0},
		{"yes | base64 -w 4 | head -1; yes eQo= | tr -d '\\n=' | base64 -d 2>/dev/null | head -1", "eQp5\ny\n", "", 0},
		{"yes | awk '{print; exit}'; yes | grep -m1 y; yes | cut -c1 | head -1; yes | tr y n | head -1", "y\ny\ny\nn\n", "", 0},
		{"yes | tee /dev/null | head -1", "y\n", "", 0},
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

// TestLinesAsTheyCome: a filter prints what a line comes to before there is another.
func TestLinesAsTheyCome(t *testing.T) {
	for script, want := range map[string]string{
		"sed s/a/b/":         "b\n",
		"sed -n p":           "a\n",
		"sed '5q'":           "a\n",
		"xargs -n1 echo":     "a\n",
		"xargs -I{} echo {}": "a\n",
		"tail -n +1":         "a\n",
		"awk '{print $1}'":   "a\n",
		"grep a":             "a\n",
		"cut -c1":            "a\n",
		"tr a b":             "b\n",
		"cat -n":             "     1\ta\n",
		"tee /dev/null":      "a\n",
	} {
		t.Run(script, func(t *testing.T) {
			p, _, _ := container(t, "sh", "-c", script)
			inR, inW := io.Pipe()
			outR, outW := io.Pipe()
			p.Stdin, p.Stdout = inR, outW
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			stop := context.AfterFunc(ctx, func() { outR.CloseWithError(ctx.Err()) })
			defer stop()
			ended := make(chan int, 1)
			go func() { ended <- shell.Sh(ctx, p) }()
			if _, err := io.WriteString(inW, "a\n"); err != nil {
				t.Fatal(err)
			}
			got := make([]byte, len(want))
			if _, err := io.ReadFull(outR, got); err != nil || string(got) != want {
				t.Errorf("after one line there is %q, want %q (%v)", got, want, err)
			}
			inW.Close()
			go io.Copy(io.Discard, outR)
			if code := <-ended; code != 0 {
				t.Errorf("exit code %d", code)
			}
		})
	}
}

// TestMemoryIsBounded: what would keep all of an endless input fails, and the process it shares
// with the cluster does not grow with it.
func TestMemoryIsBounded(t *testing.T) {
	const most = 400 << 20 // bytes, of garbage too
	// As much garbage as Go lets there be by itself: scripts/test has other clusters in mind.
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	scripts := []string{
		"yes | sort",
		"yes 0123456789012345678901234567890123456789012345678901234567890123456789 | sed ':a;N;ba'",
		"echo aaaaaaaaaaaaaaaa | sed ':a;s/a/aaaaaaaaaaaaaaaa/g;ba'",
		"tail -n 1000000000 /dev/zero",
		"yes | head -n -1000000000",
		"sed -f /dev/zero",
		"cut -c1 /dev/zero",
		"awk 'BEGIN {a = \"x\"; while (1) a = a a}'",
		"awk 'BEGIN {while (1) a[i++] = \"x\"}'",
		"yes | sed -n H",
		"yes | tail -n 1000000000",
		"yes | tail -c 1000000000",
		"yes '' | tail -n 1000000000",
		"yes | head -c -1000000000",
		"yes '' | grep -B 1000000000 x",
		"sed '' /dev/zero",
		"awk -f /dev/zero",
		"grep -f /dev/zero x",
		"grep x /dev/zero",
		"uniq /dev/zero",
		"diff /dev/zero /etc/passwd",
		"yes | tr -d '\\n' | xargs echo",
		"awk 1 /dev/zero",
		"awk 'BEGIN {while (1) b[i++ % 2000000] = sprintf(\"%1000d\", i)}'",
	}
	if os.Getenv("TABERNETES_LONG") == "" {
		scripts = scripts[:9]
	}
	for _, script := range scripts {
		t.Run(script, func(t *testing.T) {
			p, _, errOut := container(t, "sh", "-c", "set -o pipefail; echo x > /etc/passwd; "+script)
			p.Stdout = io.Discard
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			code := shell.Sh(ctx, p)
			if code == 0 || ctx.Err() != nil || !strings.Contains(errOut.String(), "out of memory") && !strings.Contains(errOut.String(), "too long") {
				t.Errorf("exits with %d (%v) and says %.200q", code, ctx.Err(), errOut.String())
			}
			var stats runtime.MemStats
			runtime.ReadMemStats(&stats)
			if stats.HeapAlloc > most {
				t.Errorf("the heap has %d MiB", stats.HeapAlloc>>20)
			}
		})
	}
}

// TestWatchInAPipe: a program that is run by a program that is run in a pipe compares its streams.
func TestWatchInAPipe(t *testing.T) {
	p, out, errOut := container(t, "sh", "-c", "watch -n 0.01 yes | head -c 30")
	if code := shell.Sh(t.Context(), p); code != 0 || len(out.String()) != 30 || errOut.String() != "" {
		t.Errorf("exits with %d, prints %.40q and says %.200q", code, out, errOut)
	}
}

// TestLongArguments: what these are given takes hours where it is looked through once more for each character.
func TestLongArguments(t *testing.T) {
	long := strings.Repeat("a", 800_000)
	for _, c := range []struct {
		args []string
		in   string
		out  string
	}{
		{[]string{"tr", long, "b"}, "xax", "xbx"},
		{[]string{"tr", "-d", strings.Repeat("[:", 300_000)}, "x[x", "xx"},
		{[]string{"tr", strings.Repeat("b-c", 200_000) + "\x01-\U0010fffd", "x"}, "abc", "xxx"},
		{[]string{"cut", "-c", strings.Repeat("5-9,", 200_000) + "2"}, "abcdef\n", "bef\n"},
		{[]string{"uniq", "-f", "9000000000000000000"}, "a\na\n", "a\n"},
	} {
		p, out, errOut := container(t, c.args...)
		p.Stdin = strings.NewReader(c.in)
		run, ok := p.Lookup(c.args[0])
		if !ok {
			t.Fatal(c.args[0])
		}
		if code := run(t.Context(), p); code != 0 || out.String() != c.out {
			t.Errorf("%.20q exits with %d, prints %.40q and says %.200q", c.args, code, out, errOut)
		}
	}
}
