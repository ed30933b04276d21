package shell_test

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/shell"
)

// lockedBuffer is an output that several commands write.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// container is a process of an image that has the shell and the small tools.
func container(t *testing.T, args ...string) (p *program.Process, out, errOut *lockedBuffer) {
	t.Helper()
	tools := shell.Tools()
	out, errOut = new(lockedBuffer), new(lockedBuffer)
	fsys := program.NewFS(t.TempDir())
	for _, dir := range []string{"/tmp", "/home/u", "/etc"} {
		if err := fsys.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return &program.Process{
		Args: args, Env: []string{"PATH=/bin:/usr/bin", "HOME=/home/u"}, Dir: "/",
		Stdin: strings.NewReader(""), Stdout: out, Stderr: errOut, FS: fsys, Hostname: "box",
		Lookup: func(name string) (program.Program, bool) {
			prog, ok := tools[strings.TrimPrefix(strings.TrimPrefix(name, "/usr"), "/bin/")]
			return prog, ok
		},
	}, out, errOut
}

// script is one case: what sh -c runs, and what comes of it.
type scriptCase struct {
	script, stdout, stderr string
	code                   int
}

func TestScripts(t *testing.T) {
	for _, c := range []scriptCase{
		{"", "", "", 0},
		{"echo $0 $# $1 \"$2\"", "name 2 a b c\n", "", 0},
		{"exit 3", "", "", 3},
		{"nosuch", "", "sh: nosuch: not found\n", 127},
		{"vi f; busybox", "", "sh: vi: not found: there is no editor in this container. Write a file with `cat > FILE` (ctrl-d ends it), " +
			"change one with `sed -i`, or bring one with `kubectl cp`\nsh: busybox: not found\n", 127},
		{"/etc", "", "sh: /etc: Permission denied\n", 126},
		{"./nosuch", "", "sh: ./nosuch: not found\n", 127},
		{"cd /nosuch; echo $?", "1\n", "sh: cd: can't cd to /nosuch: No such file or directory\n", 0},
		{"cat < /nosuch; echo $?", "1\n", "sh: can't open /nosuch: no such file\n", 0},
		{"echo x > /nosuch/y", "", "sh: can't create /nosuch/y: nonexistent directory\n", 1},
		{"if then", "", "sh: syntax error: line 1: `if` must be followed by a statement list\n", 2},
		{"echo a\necho b &c\x9e", "a\n", "sh: syntax error: line 2: invalid UTF-8 encoding\n", 2},
		{"echo a\nexit 3; echo b &c\x9e", "a\n", "", 3},
		{"()0", "", "sh: syntax error: a function without a name\n", 2},
		{"echo ${x?is missing}; echo no", "", "sh: x: is missing\n", 2},
		{"set -eu; false; echo no", "", "", 1},
		{"set -e; if false; then :; fi; ! true || false; echo no", "", "", 1},
		{"set -u; echo $nosuch; echo no", "", "sh: nosuch: parameter not set\n", 2},
		{"set -x; echo 'a b' c", "a b c\n", "+ echo 'a b' c\n", 0},
		{"set -o pipefail; false | true", "", "", 1},
		{"false | true", "", "", 0},
		{"x=1; (x=2; echo $x); echo $x; echo in | read x; echo $x", "2\n1\n1\n", "", 0},
		{"echo a >f; echo b >>f; cat f; : >f; cat f; echo c 1>&2", "a\nb\n", "c\n", 0},
		{"exec 3>f; echo three >&3; exec 3>&-; cat f; echo gone >&3", "three\n", "sh: write error: Bad file descriptor\n", 1},
		{"{ echo out; echo err >&2; } 2>&1 | sort", "err\nout\n", "", 0},
		{"exec 4<<EOF\none\ntwo\nEOF\nread a <&4; read b <&4; echo $b $a", "two one\n", "", 0},
		{"cat <<-EOF\n\tindented $((6*7))\n\tEOF", "indented 42\n", "", 0},
		{"printf 'a b\\nc\\n' | while read x y; do echo \"[$x|$y]\"; done", "[a|b]\n[c|]\n", "", 0},
		{"f() { echo $1; return 4; }; f arg; echo $?", "arg\n4\n", "", 0},
		{"f() { f; }; f", "", "sh: functions are nested too deeply\n", 2},
		{"for i in 1 2 3; do [ $i = 2 ] && continue; echo $i; done", "1\n3\n", "", 0},
		{"while :; do while :; do break 2; done; done; echo out", "out\n", "", 0},
		{"case abc in b*) echo no;; a?c) echo yes;; esac", "yes\n", "", 0},
		{"trap 'echo bye $?' EXIT; exit 5", "bye 5\n", "", 5},
		{"trap 'echo inner' EXIT; (echo sub); echo end", "sub\nend\ninner\n", "", 0},
		{"eval 'x=1; echo $x'; command -v cat echo; type cd", "1\n/bin/cat\necho\ncd is a shell builtin\n", "", 0},
		{"while getopts ab:c o -a -b val -- rest; do echo $o $OPTARG; done; echo $OPTIND", "a\nb val\n5\n", "", 0},
		{"sleep 0.01 & wait $!; echo $?; (exit 7) & wait $!; echo $?", "0\n7\n", "", 0},
		{"sleep 0.1 & p=$!; sleep 0.3; sleep 100 & kill %1; wait %1; echo $?; wait $p; echo $?", "143\n0\n", "", 0},
		{"sleep 100 & kill $!; wait $!; echo $?; kill %1", "143\n", "sh: kill: invalid number '%1'\n", 1},
		{"echo 'echo from $0 $1' > s; chmod +x s; ./s arg; sh s; PATH=$PATH:/; s", "from ./s arg\nfrom s\nfrom /s\n", "", 0},
		{`printf 'a\0'; printf '\7\'; printf '\x4'; printf 'x\x'; printf '\\'; printf '\0x'`, "a\x00\a\\\x04x\\x\\\x00x", "", 0},
		{`printf '\u4'; printf '\U0001F60'; printf 'n\n\q'; echo $'\7'b $'\x4'c $'\'' $'\\'`, "\x04\u1f60n\n\\q\ab \x04c ' \\\n", "", 0},
		{`printf %b 'a\'; echo b`, "a\\b\n", "", 0},
		{"printf '#!/bin/cat\\nshown\\n' > s; chmod +x s; ./s", "#!/bin/cat\nshown\n", "", 0},
		{"VAR=x env | grep VAR; echo [$VAR]; export E=1; env | grep ^E=; env -i A=b env", "VAR=x\n[]\nE=1\nA=b\n", "", 0},
		{"echo a* /e*; touch ab ac; echo a*; set -f; echo a*", "a* /etc\nab ac\na*\n", "", 0},
		{"echo {1..5} {a,b}c; echo ${PWD##*/} ${HOME#/} ${#HOME}", "1 2 3 4 5 ac bc\nhome/u 7\n", "", 0},
		{"echo {1..1000000000} | head -c 10", "", "sh: brace expansion: more than 100000 words\n", 0},
		{"echo {9223372036854775806..9223372036854775807}", "", "sh: brace expansion: more than 100000 words\n", 2},
		{"echo {a..c..9223372036854775807}", "", "sh: brace expansion: more than 100000 words\n", 2},
		{"a=(x y z); echo ${a[@]/@(y|z)/w}; shopt -s extglob; echo ${a[@]/@(y|z)/w}; echo no", "x y z\n", "sh: extended patterns are matched by case, [[ and names of files only\n", 2},
		{"shopt -s extglob\necho @(etc|b)*/+([a-z])x; set -f; echo @(a); set +f; echo a*/@(b); echo no", "@(etc|b)*/+([a-z])x\n@(a)\n", "sh: an extended pattern of files' names has to have one of * ? [ in it\n", 2},
		{"shopt -s nosuch; echo $?; shopt -k; echo $?", "1\n2\n", "sh: shopt: nosuch: not here\nsh: shopt: illegal option -k\n", 0},
		{"case ab in *!(b)) echo no;; esac; echo $?", "2\n", "sh: !(…) is matched between fixed texts only\n", 0},
		{"help -s pwd; help -d tru*; help nosuch; echo $?; help let", "pwd: pwd [-LP]\ntrue - Return a successful result.\n1\nlet: let expression ...\n    Work out arithmetic.\n", "sh: help: no help topics match `nosuch'\n", 0},
		{"f() { echo $1; }; declare -f f; readonly b=1; readonly -p; export -n c=1; a[1]=x; declare -a; declare -r", "f() { echo $1; }\nreadonly b=1\ndeclare -a a=([1]=\"x\")\ndeclare -r b=\"1\"\n", "", 0},
		{"test -d /etc -a ! -f /etc && [ -w /etc ] && [[ abc == a* ]] && echo ok", "ok\n", "", 0},
		{"[ a = b ] || [ 1 -eq x ]", "", "sh: [: x: bad number\n", 2},
		{"cd /etc; pwd; cd -; cd; pwd", "/etc\n/\n/home/u\n", "", 0},
		{"alias ll='ls -1 /'; ll | head -1; echo $((1 + 2 * 3)) $((7 / 2)) $((1 << 4))", "etc\n7 3 16\n", "", 0},
		{"echo $((1/0))", "", "sh: division by zero\n", 2},
		{"yes | head -2; seq 3 | tail -1; seq 1000000 | head -1", "y\ny\n3\n1\n", "", 0},
		{"while true; do echo y; done | head -1", "y\n", "", 0},
		{"unset HOME; cd; pwd; readonly R=1; R=2; echo no", "/\n", "sh: R: is read only\n", 2},
		{"a=(x y z); echo ${a[1]} ${#a[@]} ${a[@]:1}; let n=2+3; ((n++)); echo $n", "y 3 y z\n6\n", "", 0},
		{"echo one; exit 0; echo two", "one\n", "", 0},
		{"> f 2>&1 echo hidden; cat f; echo hi > /dev/null; echo err > /dev/stderr", "hidden\n", "err\n", 0},
		{"{ time -p true; } 2>&1 | cut -d. -f1", "real 0\nuser 0\nsys 0\n", "", 0},
		{"coproc cat", "", "sh: *syntax.CoprocClause is not supported\n", 2},
	} {
		t.Run(c.script, func(t *testing.T) {
			p, out, errOut := container(t, "sh", "-c", c.script, "name", "a", "b c")
			if !strings.Contains(c.script, "$0 $#") {
				p.Args = p.Args[:3]
			}
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			code := shell.Sh(ctx, p)
			if out.String() != c.stdout || errOut.String() != c.stderr || code != c.code {
				t.Errorf("prints %q, %q and exits with %d,\nwant   %q, %q and %d", out.String(), errOut.String(), code, c.stdout, c.stderr, c.code)
			}
		})
	}
}

func TestStandardInput(t *testing.T) {
	p, out, _ := container(t, "sh", "-s", "arg")
	p.Stdin = strings.NewReader("read line\nthe next line\necho \"[$line] $1\"\ncat\nthe rest\n")
	if code := shell.Sh(t.Context(), p); code != 0 || out.String() != "[the next line] arg\nthe rest\n" {
		t.Errorf("exit code %d, prints %q", code, out.String())
	}
}

// ticker counts in another goroutine, as the rest of the cluster would work.
func ticker(ctx context.Context) (ticks func() int) {
	var mu sync.Mutex
	n := 0
	go func() {
		for ctx.Err() == nil {
			time.Sleep(10 * time.Millisecond)
			mu.Lock()
			n++
			mu.Unlock()
		}
	}()
	return func() int {
		mu.Lock()
		defer mu.Unlock()
		return n
	}
}

// TestNothingSpins runs what would never end, under a deadline. With one thread (js, or
// GOMAXPROCS=1 without preemption) the ticker starves if the shell does not yield.
func TestNothingSpins(t *testing.T) {
	for _, script := range []string{
		"while true; do :; done",
		"until false; do true; done",
		"while ((1)); do ((i+=1)); done",
		"for ((;;)); do :; done",
		"f() { while :; do x=$x$x; x=; done; }; f",
		"while :; do x=$(echo $((i+=1))); done",
		"while :; do cat /etc/nosuch; done 2>/dev/null",
		"yes > /dev/null",
		"cat /dev/zero > /dev/null",
		"yes | grep n",
		"md5sum /dev/urandom",
		"seq 1 0 2 > /dev/null",
		"echo a | sed ':a; s/b/c/; ba'",
		"tail -f /dev/null",
		"awk 'BEGIN {while (1);}'",
		"awk 'BEGIN {for (;;) n += 1}'",
		"sleep infinity",
		"cat",
		"trap 'while :; do :; done' EXIT",
		"while :; do a+=([99999999]=y); unset 'a[99999999]'; done",
		"a=$(head -c 3000000 /dev/zero | tr '\\0' x); while :; do [[ $a =~ (x?){1000}(x?){1000}$ ]]; done",
		"IFS=:; x=$(head -c 100000 /dev/zero | tr '\\0' :); while :; do set -- $x; done",
	} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			p, _, _ := container(t, "sh", "-c", script)
			in, _ := io.Pipe()
			p.Stdin = in
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			ticks := ticker(ctx)
			// However busy the machine is: it is ended once others have had their turns beside it.
			told := make(chan time.Time, 1)
			time.AfterFunc(400*time.Millisecond, func() {
				for ticks() < 5 && ctx.Err() == nil {
					time.Sleep(10 * time.Millisecond)
				}
				told <- time.Now()
				cancel()
			})
			shell.Sh(ctx, p)
			if ticks() < 5 {
				t.Errorf("%d ticks beside it", ticks())
			}
			select {
			case at := <-told:
				if took := time.Since(at); took > 5*time.Second {
					t.Errorf("ended %v after it was told to", took)
				}
			default:
				t.Error("it ended by itself")
			}
		})
	}
}
