//go:build !js

package shell_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/shell"
)

const busybox = "/bin/busybox" // Debian's busybox-static

// likeBusybox are scripts that print the same, and end with the same code, in busybox' shell with
// busybox' tools and here. Each begins in an empty directory.
var likeBusybox = []string{
	"printf 'a\\nb\\nc' > f; sed 's/b/x/' f; echo; sed p f; echo; seq 3 > f; sed -n '$p' f; sed '$d' f",
	"printf a > f; printf 'b\\n' > g; sed '' f g; sed -n '$=' f g; sed 'N;s/\\n/+/' f g",
	"seq 10 | sed -n '2,4p;8q'; seq 10 | sed '2,/5/d'; seq 5 | sed '2!d'",
	"seq 3 | sed 'a after'; seq 3 | sed 'i\\before'; seq 3 | sed '2c changed'; seq 2 | sed '1r f'",
	"seq 5 | sed ':a;N;$!ba;s/\\n/,/g'; seq 4 | sed '$!N;P;D'; seq 3 | sed 'G;h' | tail -n 3; seq 3 | sed -n 'H;${x;s/\\n/-/g;p}'",
	"echo aXbXc | sed 's/X/-/2;s/a/[&]/'; echo abc | sed -E 's/(a)(b)/\\2\\1/'; echo 'a/b' | sed 's|/|:|g'; echo abc | sed 'y/abc/xyz/'",
	"seq 3 | sed 'w out'; cat out; echo x | sed 's/x/y/w out'; cat out; echo no | sed 's/x/y/w out'; wc -c < out",
	"seq 5 > f; sed -i '2d' f; cat f; sed -i 's/3/three/' f; cat f; seq 3 | sed 2q; echo $?",
	"seq 5 | tail -n 2; seq 5 | tail -n +4; seq 5 | tail -c 3; printf 'a\\nb' | tail -n 1; seq 20 | tail; seq 3 | tail -n 0",
	"seq 5 | head -n 2; seq 5 | head -n -3; seq 5 | head -c 3; printf 'a\\nb' | head -n 5; seq 20 | head",
	"seq 5 | xargs; seq 5 | xargs -n 2; seq 3 | xargs -I{} echo '<{}>'; echo \"a 'b c' d\" | xargs -n1; printf 'a\\nb c\\n' | tr '\\n' '\\000' | xargs -0 -n1",
	"echo a b | xargs -n1 false; echo $?; echo x | xargs nosuchprogram 2>/dev/null; echo $?; xargs echo none < /dev/null; xargs -r echo none < /dev/null",
	"seq 3 | base64; seq 100 | base64 | base64 -d | tail -n 1; printf abc | base64 -w 2 2>/dev/null || echo",
	"printf 'b\\na\\nc\\na\\n' | sort; printf 'b\\na\\na\\n' | sort -u; printf '10\\n9\\n1\\n' | sort -n; printf '10\\n9\\n' | sort -rn; printf 'x 2\\ny 1\\n' | sort -k2",
	"printf 'a\\na\\nb\\na\\n' | uniq; printf 'a\\na\\nb\\n' | uniq -d; printf 'a\\na\\nb\\n' | uniq -u; printf 'a\\na\\nb\\n' | uniq -c",
	"echo a:b:c | cut -d: -f1,3; echo a:b:c | cut -d: -f2-; echo abcdef | cut -c 2-4; printf 'x\\ty\\n' | cut -f2; echo none | cut -d: -f1 -s",
	"echo hello | tr a-y b-z; echo aabb | tr -s a; echo a1b2 | tr -d 0-9; echo abc | tr -c 'a\\n' x; echo abc | tr '[:lower:]' '[:upper:]'",
	"seq 5 | grep 3; seq 20 | grep -c 1; seq 5 | grep -v 3; printf 'Ab\\n' | grep -i aB; seq 3 | grep -n 2; seq 3 | grep x; echo $?",
	"seq 9 | grep -A1 -B1 5; echo foobar | grep -o 'o*b'; printf 'a.b\\naxb\\n' | grep -F a.b; seq 12 | grep -E '^(1|2)$'; seq 5 | grep -m2 .; seq 3 | grep -q 2; echo $?",
	"printf 'a b\\nc d\\n' | awk '{print $2}'; seq 5 | awk '{s+=$1} END {print s}'; echo a:b | awk -F: '{print $2, NF}'; awk 'BEGIN {printf \"%05.2f|%-4s|%x\\n\", 3.14159, \"ab\", 255}'",
	"printf 'a12b3c' | awk 'BEGIN {RS=\"[0-9]+\"} {print NR \":\" $0}'; printf 'a--b-c' | awk 'BEGIN {RS=\"--\"} {print}'; printf 'a b\\nc\\n\\n\\nd\\n' | awk 'BEGIN {RS=\"\"} {print NR, NF, $1}'",
	"printf 'x;y;z\\n' | awk 'BEGIN {RS=\";\"} {printf \"<%s>\", $0} END {print \"\"}'; echo 'a,b c' | awk '{n=split($0, p, /[, ]/); print n, p[2]}'; echo abcb | awk '{gsub(/b/, \"[&]\"); print; print toupper(substr($0, 2, 3)), index($0, \"c\")}'",
	"awk 'BEGIN {while ((getline l < \"nosuch\") > 0) n++; print n+0; x[\"a\"]=1; delete x[\"a\"]; print n+0}'; echo | awk '{exit 3}'; echo $?",
	"awk 'BEGIN { print 1, 2 > \"o\" }'; cat o; awk 'BEGIN { print (1, 2) > \"o\" }'; cat o; awk 'BEGIN { print (1)(2), (3) > \"o\" }'; cat o",
	"awk 'BEGIN { print (1)(2) }'",
	"awk 'BEGIN { print 1, 2 > \"o\" \".x\" }'; ls; awk 'BEGIN { print 1 > 2 }'; ls; awk 'BEGIN { print (1 > 2); print 1, (2 > 1), 3 }'",
	"awk 'BEGIN { printf(\"%s %s\\n\", \"a\", \"b\") > \"o\"; printf \"%s %s\\n\", \"c\", \"d\" >> \"o\" }'; cat o; awk 'BEGIN { OFS=\"-\"; print \"a\", \"b\" > \"o\" }'; cat o",
	"echo 'a b' | awk '{ print $1, $2 > \"o\"; print($1)($2); print($1), $2; print ($1 == \"a\"), $2 }'; cat o",
	"awk 'BEGIN { print (1)+2, (3)*4; print (1 in x), length(); print((1,2) in x); x[1,2]; print ((1,2) in x) }'",
	"awk 'BEGIN { print 1 \" \" -1, 2; print length \"x\"; print -1 \" \" -1 }'",
	"seq 3 | wc -l; printf 'a b\\nc\\n' | wc -w; printf abc | wc -c; seq 2 3; seq 1 2 5; seq 3 -1 1",
	"expr 2 + 3; expr 7 / 2; expr abc : 'a\\(.\\)'; expr 1 '>' 2; echo $?; expr length abcd; basename /a/b.c .c; dirname /a/b",
	"printf 'a\\nb\\n' > f; cat -n f; cat f f | md5sum; printf 'a\\nb\\n' | tee g; cmp f g 2>/dev/null || diff -q f g; echo $?; rev < f 2>/dev/null || printf 'a\\nb\\n'",
	"mkdir -p a/b; echo 1 > a/f; echo 2 > a/b/g; find a -type f | sort; ls a; cp -r a c; cat c/b/g; mv c d; ls d; rm -r d; ls d 2>/dev/null; echo $?; rmdir a 2>/dev/null; echo $?",
	"x=1; f() { local x=2; echo $x; return 4; }; f; echo $? $x; for i in a b; do echo $i; done; case ab in a*) echo yes;; esac; echo $((3 * (2 + 1))) ${x:-d} ${y:-d} ${#x}",
	"set -- a 'b c' d; echo $# \"$2\"; shift; echo \"$*\"; IFS=:; echo \"$*\"; while read -r a b; do echo \"$b-$a\"; done <<E\n1:2\n3:4\nE",
	"x=1; cat <<'E'\n\\$x \\\\ \\n $x `echo` \\\nE\ncat <<\\E\n\\$x\nE\ncat <<-\"E\"\n\t\\$x\n\t\tz\n\tE\ncat <<E\n\\$x \\\\ \\n $x\nE",
	"(exit 3); echo $?; false || echo or; true && echo and; ! true; echo $?; { echo a; echo b >&2; } 2>/dev/null; echo `echo sub` $(echo $(echo nested))",
	"trap 'echo bye' EXIT; echo hi; exit 5",
	"for c in cat find ls touch head tail wc sort 'chmod 700' mkdir rmdir stat du; do $c '' >out 2>/dev/null; echo $c $?; cat out; done; test -e ''; echo $?",
	"y=abc.tar.gz; echo ${y%.*} ${y%%.*} ${y#*.} ${y##*.}; echo \"a  b\" 'c  d' e\\ f; printf '%s|%5d|%-3s|%%\\n' x 42 ab; test 1 -lt 2 && [ a != b ] && echo ok",
}

// TestLikeBusybox runs each script in both. A difference is to be cured, or its script is not in the
// table: what differs by intent is in docs/RATIONALE.md.
func TestLikeBusybox(t *testing.T) {
	if _, err := os.Stat(busybox); err != nil {
		t.Skipf("%v (scripts/setup installs it)", err)
	}
	for _, script := range likeBusybox {
		t.Run(script, func(t *testing.T) {
			likeTheirs(t, script, []string{"PATH=" + applets(t), "HOME=/"}, busybox, "sh", "-c", script)
		})
	}
}

// likeTheirs fails if a script prints, or ends with, something else here than the machine's shell has it, which is run
// by argv. Both begin in an empty directory.
func likeTheirs(t *testing.T, script string, env []string, argv ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	theirs := exec.CommandContext(ctx, argv[0], argv[1:]...)
	theirs.Dir, theirs.Env = t.TempDir(), env
	var want bytes.Buffer
	theirs.Stdout = &want
	wantCode := 0
	if err := theirs.Run(); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			t.Fatal(err)
		}
		wantCode = exit.ExitCode()
	}
	p, out, errOut := container(t, "sh", "-c", script)
	if err := p.FS.MkdirAll("/empty", 0o755); err != nil {
		t.Fatal(err)
	}
	p.Dir = "/empty"
	if code := shell.Sh(ctx, p); out.String() != want.String() || code != wantCode {
		t.Errorf("prints\n%s and exits with %d,\n%s\n%s and %d\n%s", out.String(), code, argv[0], want.String(), wantCode, errOut.String())
	}
}

// applets is a directory in which every tool that both have is busybox'.
func applets(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name := range shell.Tools() {
		if name != "[" {
			if err := os.Symlink(busybox, filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}
