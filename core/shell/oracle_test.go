package shell_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/shell"
)

// TestLikeDebians: what is not of busybox prints what Debian's own program does.
func TestLikeDebians(t *testing.T) {
	for _, c := range []struct{ program, script string }{
		{"/usr/bin/rev", `printf 'abc\ndef g\n\nxäöüy\n' | rev`},
		{"/usr/bin/rev", `printf 'abc\n' > f; rev f f`},
		{"/usr/bin/envsubst", `A=1 B='two words' envsubst <<'E'` + "\n$A ${A} ${B}$B $C ${C:-d} $ {A} $$A \\$A ${A $1 a$A-\nE"},
		{"/usr/bin/envsubst", `export A=1 B=2; printf '$A $B ${B} no end $A' | envsubst '$B and ${C}'`},
		{"/usr/bin/envsubst", `envsubst -v 'x $A ${B_2} $3'`},
		{"/usr/bin/less", `seq 3 > f; less f; seq 5 | less; less -N f | wc -l`},
		{"/usr/bin/tree", `mkdir w; cd w; mkdir -p a/b/c a/.h z; touch a/1 a/b/2 a/b/c/3 a/.h/4 "z/two words" .x; ln -s ../a z/link; tree; tree -a; tree -d; tree -L 2; tree a z; tree -L 1 -d a; tree -d a/b/c; tree z/; tree --noreport a; tree -f a; tree -fi ./z; tree -da`},
		{"/usr/bin/tree", `mkdir -p w/e; cd w; tree e; touch e/ü e/A e/b e/B e/_; tree e; ln -s nowhere e/l; tree e; tree -i e; mkdir e/.h; tree -L 1 e; mkdir only only/.h; tree only`},
		{"/usr/bin/tree", `touch f; tree f; echo $?; tree nosuch; echo $?; mkdir d; tree nosuch d; echo $?; tree f d/`},
		{"/usr/bin/jq", `echo '{"a":[1,2,{"b":null}],"c":"x"}' | jq .`},
		{"/usr/bin/jq", `printf '%s' '{"a":[1,2,{"b":null}],"c":"x\ty\u0001é"}' | jq -c '., .a, .c, .nosuch, .a[], .a[-1], .a[1:], (.a|length), keys'`},
		{"/usr/bin/jq", `echo '{"items":[{"metadata":{"name":"a","labels":{"app":"x"}}},{"metadata":{"name":"b"}}]}' > f; jq -r '.items[].metadata.name' f; jq -r '.items[] | select(.metadata.labels.app == "x") | .metadata.name' f; jq '.items | map(.metadata.labels // {}) | length' < f`},
		{"/usr/bin/jq", `jq -n '[1,2,3] | add, (map(. * 2) | @json), min, max, (.[0] / .[1]), (7 % 3), -(.[2])'; jq -n '"a,b" / ",", ("ab" * 3), ("x" | ascii_upcase), ("a-b" | split("-") | join("+"))' -c`},
		{"/usr/bin/jq", `jq -nc --arg a 'x y' --argjson b '{"n":1}' '{$a, all: $ARGS.named, b: $b.n}'; jq -nc '$ARGS.positional' --args 1 two; jq -nc '$ARGS.positional' --jsonargs 1 '{"a":2}'; X=1 jq -n 'env.X, $ENV.X'`},
		{"/usr/bin/jq", `printf '1 2\n3' | jq -s -c .; printf '1 2\n3' | jq -n '[inputs]' -c; printf '1 2 3' | jq -n 'input, input'; printf 'a\nb' | jq -R .; printf 'a\nb\n' | jq -Rs .; printf '"a" "b"' | jq -j .`},
		{"/usr/bin/jq", `echo 'null' | jq -e . > /dev/null; echo $?; echo '1' | jq -e . > /dev/null; echo $?; echo 1 | jq -e empty; echo $?; echo 1 | jq .a 2> /dev/null; echo $?; jq -n '{' 2> /dev/null; echo $?; jq . nosuch 2> /dev/null; echo $?; jq -n '"x" | halt_error' 2> /dev/null; echo $?; jq -n 'halt'; echo $?; jq --nosuch . 2> /dev/null; echo $?`},
		{"/usr/bin/jq", `echo '1 "a" 3' | jq '. + 1' 2> /dev/null; echo $?; echo '"a" 1' | jq '. + 1' 2> /dev/null; echo $?; jq -n 'try error("x") catch .'; jq -n '[.[]?]' -c`},
		{"/usr/bin/jq", `echo '[{"k":"b","v":1},{"k":"a","v":2},{"k":"b","v":3}]' | jq -c 'sort_by(.k), group_by(.k), unique_by(.k), (map({(.k): .v}) | add | to_entries | sort_by(.key)), (INDEX(.k) | .a), any(.v > 2), all(.v > 2), (reduce .[] as $x (0; . + $x.v)), [limit(2; .[].v)], first(.[].k)'`},
		{"/usr/bin/jq", `echo '{"a":{"b":1},"c":[{"d":2}]}' | jq -c 'paths, (.a.b |= . + 1), (.c[0].d = 5), del(.a), (.. | numbers), to_entries, with_entries(.value |= tostring), has("a"), (tojson | fromjson), walk(if type == "number" then . + 1 else . end), (.a + {"z": 1}), (. * {"a":{"y":2}})'`},
		{"/usr/bin/jq", `jq -nr '"a b" | @uri, @base64, @html, @sh, @json, @text, (@base64 | @base64d), "x\(1 + 1)y", ([1,"a",null] | @csv, @tsv), test("B"; "i"), [match("[a-z]"; "g").string], sub("a"; "z"), gsub("(?<x>[ab])"; "<\(.x)>"), [scan("[a-z]")], capture("(?<l>[a-z])"), ltrimstr("a"), startswith("a"), explode, (explode | implode)' -c`},
		{"/usr/bin/jq", `jq -n '0 | todate, (1425599621 | strftime("%Y-%m-%dT%H:%M:%SZ")), ("2015-03-05T23:51:47Z" | fromdate), ([1,[2,[3]]] | flatten), ([3,1,2] | sort), ([1,2] | contains([1])), ("abc" | contains("b")), ([1,2,1] | indices(1)), ([1,2,3] | .[1:]), (def f(x): x * 2; f(3)), ([range(0;10;3)]), ([10,2] | tojson), infinite, (null | not), (if . then "t" else "f" end), ("1" | tonumber), (1 | tostring), ([.[]?]), input_filename' -c`},
		{"/usr/bin/jq", `echo '{"b":{"y":1,"x":[]},"a":[1,[2,{"c":null}],{}]} 3 [] {} "s" [[]] [{}]' > f; jq -c --stream . f; jq -c --stream -s 'length' f; jq -nc --stream 'fromstream(inputs)' f | jq -c 'tojson|length'; jq -c --stream 'select(length==2) | .[0] |= map(tostring) | .[0] | join(".")' f; jq -nSc --stream 'fromstream(1|truncate_stream(inputs))' f; jq -nc '[1,[2]] | [tostream]'`},
		{"/usr/bin/jq", `echo '{"a":1,"b":[]}' | jq --tab .; echo '{"a":1,"b":{}}' | jq --indent 1 .; echo '{"a":[1]}' | jq --indent 0 .; echo '"x"' | jq -r; printf '.a' > p; echo '{"a":3}' | jq -f p; echo '[1]' > v; jq -nc --slurpfile v v --rawfile r v '$v, $r'`},
	} {
		t.Run(filepath.Base(c.program), func(t *testing.T) {
			if _, err := os.Stat(c.program); err != nil {
				t.Skipf("%v (scripts/setup installs it)", err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			theirs := exec.CommandContext(ctx, "/bin/sh", "-c", c.script)
			theirs.Dir, theirs.Env = t.TempDir(), []string{"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8"}
			want, err := theirs.Output()
			if err != nil {
				t.Fatalf("%s: %v", c.script, err)
			}
			p, out, errOut := container(t, "sh", "-c", c.script)
			code := shell.Sh(ctx, p)
			if code != 0 || errOut.String() != "" || out.String() != string(want) {
				t.Errorf("%s: code %d, %s\n%q, want %q", c.script, code, errOut.String(), out.String(), want)
			}
		})
	}
}
