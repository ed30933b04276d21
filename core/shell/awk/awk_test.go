package awk_test

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/shell/awk"
	"github.com/tabernetes/tabernetes/core/shell/regex"
)

const pods = `NAME    READY   STATUS    RESTARTS   AGE
nginx   1/1     Running   0          10s
redis   0/1     Pending   3          1m
web     1/1     Running   12         2h
`

func run(t *testing.T, src string, args ...string) (string, int, error) {
	t.Helper()
	prog, err := awk.Parse(src, regex.Compile)
	if err != nil {
		return "", 2, err
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	var out bytes.Buffer
	files := map[string]string{"-": pods, "list": "a 1\nb 2\n"}
	code, err := prog.Run(awk.Config{
		Context: ctx, Args: args, Env: map[string]string{"HOME": "/root"}, Output: &out, Compile: regex.Compile,
		Open: func(name string) (io.ReadCloser, error) {
			text, ok := files[name]
			if !ok {
				return nil, io.ErrUnexpectedEOF
			}
			return io.NopCloser(strings.NewReader(text)), nil
		},
	})
	return out.String(), code, err
}

func TestPrograms(t *testing.T) {
	for _, c := range []struct {
		src, want string
		args      []string
	}{
		{`BEGIN {RS = "\n[a-z]*"} {printf "<%s>", $1} END {print NR}`, "<NAME><1/1><0/1><1/1>4\n", nil},
		{`BEGIN {RS = ""; FS = ":"} {print NF, $2}`, "4 nginx   1/1     Running   0          10s\n", nil},
		{`BEGIN {RS = "x*"} END {print NR, length()}`, "1 162\n", nil},
		{`BEGIN {RS = ";"; while ((getline line < "list") > 0) printf "<%s>", line}`, "<a 1\nb 2\n>", nil},
		{`{print $1}`, "NAME\nnginx\nredis\nweb\n", nil},
		{`NR>1 {print $1, $NF}`, "nginx 10s\nredis 1m\nweb 2h\n", nil},
		{`/Running/ {n++} END {print n, NR}`, "2 4\n", nil},
		{`$3 == "Running" && $4 > 5`, "web     1/1     Running   12         2h\n", nil},
		{`NR>1 {s+=$4} END {print s, s/NR, s/2}`, "15 3.75 7.5\n", nil},
		{`NR==2,/redis/ {print NR": "$1}`, "2: nginx\n3: redis\n", nil},
		{`NR>1 {c[$3]++} END {for (k in c) print k, c[k]}`, "Pending 1\nRunning 2\n", nil},
		{`BEGIN {printf "%-5s|%5.2f|%03d|%x|%c|%%\n", "ab", 3.14159, 7, 255, 65}`, "ab   | 3.14|007|ff|A|%\n", nil},
		{`BEGIN {x = "a"; x = x "b" 1+2; print x; print length(x), length()}`, "ab3\n3 0\n", nil},
		{`BEGIN {print substr("hello", 2, 3), index("hello", "l"), toupper("x") tolower("Y")}`, "ell 3 Xy\n", nil},
		{`BEGIN {n = split("a:b:c", p, ":"); print n, p[1] p[3]; print split("", q)}`, "3 ac\n0\n", nil},
		{`BEGIN {s = "foo boo"; n = gsub(/o/, "[&]", s); print n, s; sub("f", "\\&", s); print s}`, "4 f[o][o] b[o][o]\n&[o][o] b[o][o]\n", nil},
		{`BEGIN {print match("foobar", /o+/), RSTART, RLENGTH; print match("x", "y"), RLENGTH}`, "2 2 2\n0 -1\n", nil},
		{`NR==2 {$2 = "new"; print; print NF; NF = 2; print $0; $5 = "e"; print}`, "nginx new Running 0 10s\n5\nnginx new\nnginx new   e\n", nil},
		{`BEGIN {OFS="-"} NR==2 {$1=$1; print}`, "nginx-1/1-Running-0-10s\n", nil},
		{`function f(n) { return n<=1 ? 1 : n*f(n-1) } BEGIN {print f(10)}`, "3628800\n", nil},
		{`function fill(a, i) { for (i=0; i<3; i++) a[i]=i*i } BEGIN {fill(sq); print sq[2], i ""}`, "4 \n", nil},
		{`BEGIN {i=0; while (1) { if (++i > 5) break; if (i%2) continue; print i }; do i--; while (i>3); print i}`, "2\n4\n3\n", nil},
		{`BEGIN {a["x"]; if ("x" in a) print "in"; delete a["x"]; if (!("x" in a)) print "out"; a[1,2]=3; for (k in a) {split(k, p, SUBSEP); print p[2]}; print ((1,2) in a)}`, "in\nout\n2\n1\n", nil},
		{`BEGIN {print 1==1.0, "a"<"b", "10"<"9", 10<9, 2^10, 2**3, -2^2, 7%3, 1/4}`, "1 1 1 0 1024 8 -4 1 0.25\n", nil},
		{`BEGIN {print !0, !"", !"0", 1&&0, 0||1, 1?"y":"n"; print 100000 * 100000, 0.1+0.2, 1e6, 1e20}`, "1 1 0 0 1 y\n10000000000 0.3 1000000 1e+20\n", nil},
		{`{print FILENAME, FNR, NR, x}`, "list 1 1 \nlist 2 2 \nlist 1 3 v\nlist 2 4 v\n", []string{"list", "x=v", "list"}},
		{`BEGIN {while ((getline line < "list") > 0) print "got " line; close("list"); getline x < "list"; print x; print getline y < "none"}`, "got a 1\ngot b 2\na 1\n-1\n", nil},
		{`NR==1 {getline; print $1; getline x; print x, NR}`, "nginx\nredis   0/1     Pending   3          1m 3\n", nil},
		{`BEGIN {exit 3} END {print "no"}`, "", nil},
		{`NR==2 {exit} {print $1} END {print "end"}`, "NAME\nend\n", nil},
		{`BEGIN {FS="/"} NR==2 {print $2}`, "1     Running   0          10s\n", nil},
		{`BEGIN {RS=""; FS="\n"} {print NF, $1}`, "4 NAME    READY   STATUS    RESTARTS   AGE\n", nil},
		{`BEGIN {print ENVIRON["HOME"], ARGC, ARGV[1]}`, "/root 2 x\n", []string{"x"}},
		{"BEGIN { # a comment\n  if (1)\n    print \"a\"\n  else\n    print \"b\"\n\n  for (;;) { break }\n}\n\nEND { }", "a\n", nil},
		{`BEGIN {print length("ü"), substr("üb", 1, 1), index("aüb", "b"); print "tab\tnew\\", "\"q\"", "\101"}`, "1 ü 3\ntab\tnew\\ \"q\" A\n", nil},
		{`BEGIN {print int(3.9), int(-3.9), sqrt(16), exp(0); r = rand(); print r >= 0 && r < 1}`, "3 -3 4 1\n1\n", nil},
		{`$1 ~ "^n" {print "yes"} $1 !~ /^n/ {n++} END {print n}`, "yes\n3\n", nil},
		{`NR > 1 { print ($4 > 0) ? $1 " restarts" : $1 " fine" }`, "nginx fine\nredis restarts\nweb restarts\n", nil},
		{`!seen[$3]++ {print $3}`, "STATUS\nRunning\nPending\n", nil},
		{`{ $1 = ""; print substr($0, 2) } NR == 1 { nextfile }`, "READY STATUS RESTARTS AGE\n", nil},
	} {
		got, code, err := run(t, c.src, c.args...)
		wantCode := 0
		if strings.Contains(c.src, "exit 3") {
			wantCode = 3
		}
		if err != nil || got != c.want || code != wantCode {
			t.Errorf("%s\nprints %q, exits with %d, %v;\nwant   %q", c.src, got, code, err, c.want)
		}
	}
}

func TestMistakes(t *testing.T) {
	for src, want := range map[string]string{
		`{print`:               "line 1: syntax error: unexpected end of program",
		`BEGIN {x = }`:         "line 1: syntax error: unexpected '}'",
		"BEGIN {\n1 = 2}":      "line 2: syntax error: cannot assign to this",
		`BEGIN {print 1/0}`:    "division by zero",
		`BEGIN {f()}`:          "call to undefined function f",
		`/[/`:                  "line 1: syntax error: bad regular expression",
		`BEGIN {"date" | x}`:   "line 1: syntax error: unexpected '|', want ';'",
		`BEGIN {system("ls")}`: "line 1: syntax error: commands are not supported",
		`function f() { return f() } BEGIN {f()}`:                           "functions are nested too deeply",
		`BEGIN {x = ` + strings.Repeat("(", 300) + `}`:                      "line 1: syntax error: nested too deeply",
		`BEGIN {print > "/x"; print length(` + strings.Repeat("a", 3) + `}`: "",
	} {
		_, _, err := run(t, src)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n%v, want %s", src, err, want)
		}
	}
}

func TestAnEndlessLoopEnds(t *testing.T) {
	prog, err := awk.Parse(`BEGIN {while (1) i++}`, regex.Compile)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := prog.Run(awk.Config{Context: program.Yield(ctx), Output: io.Discard, Compile: regex.Compile}); err == nil {
		t.Error("it ended by itself")
	}
}
