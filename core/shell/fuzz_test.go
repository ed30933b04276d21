package shell_test

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/shell"
)

// small is a disk of a mebibyte, for one input.
type small struct{ left *atomic.Int64 }

func (d small) Reserve(n int64, _ int) error {
	if d.left.Add(-n) < 0 {
		return syscall.ENOSPC
	}
	return nil
}
func (small) Removed() {}
func (small) Attributes(_ string, info fs.FileInfo) program.Attributes {
	return program.AttributesOf(info)
}
func (small) SetAttributes(string, fs.FileInfo, program.Attributes) {}

// fuzzed runs a program with what a fuzzer made, as a container with next to nothing would. What
// it does is its own affair, but it ends when it is told to, has nothing left, and nothing in it panics.
func fuzzed(t *testing.T, root, stdin string, args ...string) {
	disk := small{left: new(atomic.Int64)}
	disk.left.Store(1 << 20)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	killed, kill := context.WithCancel(ctx)
	defer kill()
	cgroup := program.NewCgroup(nil, program.Limits{Memory: 4 << 20, Pids: 20, Files: 20}, kill)
	defer cgroup.Close()
	said := new(lockedBuffer)
	tools := shell.Tools()
	p := &program.Process{
		Args: args, Env: []string{"PATH=/bin", "HOME=/"}, Dir: "/", Hostname: "box", Cgroup: cgroup,
		Stdin: strings.NewReader(stdin), Stdout: io.Discard, Stderr: &limited{w: said, left: 1 << 20},
		FS: program.NewFS(root).On(disk, cgroup),
		Lookup: func(name string) (program.Program, bool) {
			prog, ok := tools[strings.TrimPrefix(name, "/bin/")]
			return prog, ok
		},
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		prog, _ := p.Lookup(args[0])
		program.NewTable().Run(killed, prog, p)
	}()
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		t.Fatal("it does not end")
	}
	for _, fault := range []string{"internal error", "panic", "runtime error"} {
		if strings.Contains(said.String(), "goroutine ") && strings.Contains(said.String(), fault) {
			t.Fatalf("a fault: %.4000s", said.String())
		}
	}
	entries, _ := os.ReadDir(root)
	for _, entry := range entries {
		_ = os.RemoveAll(filepath.Join(root, entry.Name()))
	}
}

// limited passes on the first bytes.
type limited struct {
	w    io.Writer
	left int
}

func (l *limited) Write(p []byte) (int, error) {
	n := min(len(p), l.left)
	l.left -= n
	_, _ = l.w.Write(p[:n])
	return len(p), nil
}

// FuzzShell runs scripts.
func FuzzShell(f *testing.F) {
	for _, c := range []string{
		"", "echo $((1+1)) ${x:-y} \"$@\" `id` $(id)", "for i in a b; do echo $i; done", "case a in *) ;; esac",
		"f() { local x=1; return 2; }; f || exit", "cat <<E\n$x\nE\n", "[[ a =~ (a) && -e / ]] || test -n x -a y", "a=(1 2); echo ${a[@]/1/2}",
		"{ echo a; (echo b); } 2>&1 | sort >x &", "printf '%05.1f|%b' 1 '\\n' | tr a-z A-Z", "while read -r x; do break 2; done < /etc/x", "trap 'echo' EXIT; set -eu; alias a=b; a",
		"echo {1..9} ~ * ?[a-b]", "$((010)) ${#x} ${x%%a*} $'\\x41\\u00e9'", "find / -name '*' -exec echo {} \\;", "seq 3 | xargs -n1 echo; expr 1 + 2; getopts ab: x",
		"a[9]=x; a+=([3]=y z); unset 'a[3]'; declare -p a; echo ${!a[@]} ${a[@]: -1} ${#a[@]} ${a[5]:=q}", "declare -A m=([k]=v); m[l]+=w; echo ${#m[@]} ${m[@]}; unset 'm[$k]'",
		"IFS=:; x=a::b; set -- $x$@\"$*\"; read -ra a <<< $x; let 'y=1' z=2; ((b[y]++, b[-1]+=2))", "shopt -s extglob nullglob; echo @(a|b)* !(x); [[ ab == +([a-z]) && a =~ ^(a)\"b\"?$ ]]; echo {1..9..2}",
	} {
		f.Add(c)
	}
	root := f.TempDir()
	f.Fuzz(func(t *testing.T, script string) { fuzzed(t, root, "a b\nc\n", "sh", "-c", script) })
}

// FuzzAwk runs programs of awk.
func FuzzAwk(f *testing.F) {
	for _, c := range []string{
		"{print $1, NF}", "BEGIN {x[1,2]=3; for (i in x) print i, x[i]; delete x}", "/a/,/b/ {gsub(/./, \"&&\"); print}", "function f(a) {return a+1} END {print f(2)}",
		"BEGIN {printf \"%5.2f%c%s\\n\", 1, 65, \"x\"; while ((getline l < \"x\") > 0) n++}", "BEGIN {RS=\"\"; FS=\",\"} {$3=\"x\"} 1", "{print > \"x\"} END {close(\"x\")}",
		"BEGIN {print substr(\"abc\", 0, 2), index(\"a\",\"b\"), split(\"a b\", p), match(\"ab\", /b/), RSTART}", "BEGIN {do x++; while (x<3); if (!(1 in y)) print -x^2 \"a\" ~ \"b\" ? 1 : 2}",
		"BEGIN { print (1, 2)(3), (1)(2) > \"x\" }",
	} {
		f.Add(c, "a b\nb,c\n\n")
	}
	root := f.TempDir()
	f.Fuzz(func(t *testing.T, script, input string) { fuzzed(t, root, input, "awk", script) })
}

// FuzzSed runs scripts of sed.
func FuzzSed(f *testing.F) {
	for _, c := range []string{
		"s/a/b/g", "2,/x/{p;d}", ":a;N;$!ba;s/\\n/,/g", "y/abc/xyz/;h;G;x;P;D", "$!N;1~2d", "a text\\\nmore", "s/\\(a\\)\\|b/[&\\1]/2p;t;b e;:e", "w x\nr x\n=;l;n;q5", "/a/I!s,x,\\n,w y", "0,/a/c\\\nx",
	} {
		f.Add(c, "a b\nb,c\n\n")
	}
	root := f.TempDir()
	f.Fuzz(func(t *testing.T, script, input string) { fuzzed(t, root, input, "sed", script) })
}
