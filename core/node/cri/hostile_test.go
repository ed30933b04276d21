package cri

import (
	"context"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/tabernetes/tabernetes/core/node/nodefs"
	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/scripts/eventually"
)

// hostile are pods that take what they can get, and how each ends with little to have: killed for
// its memory, with an error of its own, or not at all.
var hostile = []struct {
	name, script string
	reason       string // of the container's end; "" if it goes on
	stderr       string // part of what it says
}{
	{"a variable that doubles", `a=xxxxxxxx; while :; do a=$a$a; done`, "OOMKilled", ""},
	{"a variable that grows", `x=$(head -c 200000 /dev/zero | tr '\0' x); while :; do a="$a $x"; b=$a; done`, "OOMKilled", ""},
	{"many variables", `i=0; while :; do i=$((i+1)); eval "v$i=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"; done`, "OOMKilled", ""},
	{"an array", `while :; do a+=(xxxxxxxxxxxxxxxxxxx yyyyyyyyyyyyyyyyyyyyy "${a[@]}"); done`, "OOMKilled", ""},
	{"a replacement", `a=xxxxxxxxxxxxxxxx; a=$a$a$a$a$a$a$a$a; a=$a$a$a$a$a$a$a$a; a=$a$a$a$a$a$a$a$a; echo "${a//x/$a}" | wc -c`, "OOMKilled", ""},
	{"a replacement that fits once", `a=$(head -c 2080 /dev/zero | tr '\0' x); : "${a//x/$a}"`, "OOMKilled", ""},
	{"a pattern and a long text", `p=$(head -c 10000 /dev/zero | tr '\0' '?'); : "${p//$p/y}"`, "Error", "too long to be matched"},
	{"a prefix of a long text", `p=$(head -c 10000 /dev/zero | tr '\0' '?'); : "${p#$p}"`, "Error", "too long to be matched"},
	{"an index far away", `a[999999999]=x; a[4611686018427387904]=y; : "${a[@]}" "${!a[@]}" "${a[@]: -1}" "${a[@]:999999999:1}"; declare -p a >&2
		unset 'a[999999999]'; a+=(z [9000000000000000000]=w); a[8]+=v; a[-1]+=w; : "${a[777777777]=t}"; echo "${#a[@]}" there are >&2; exit 1`, "Error", "5 there are"},
	{"an array with holes", `while :; do a+=([${#a[@]}*1000]=xxxxxxxxxxxxxxxxxxx "${a[@]}"); done`, "OOMKilled", ""},
	{"indexes of an array", `a=({1..20000}); unset 'a[0]'; : "${!a[@]}" "${!a[@]}" "${!a[@]}" ${!a[@]}`, "OOMKilled", ""},
	{"elements that are set backwards", `l=$(head -c 500 /dev/zero | tr '\0' x); i=20000000; while :; do a[i-=1]=$l; done`, "OOMKilled", ""},
	{"fields that are empty", `x=$(head -c 300000 /dev/zero | tr '\0' :); IFS=:; set -- $x; exit 1`, "OOMKilled", ""},
	{"fields that are read", `head -c 300000 /dev/zero | tr '\0' : > /tmp/l; IFS=: read -r -a a < /tmp/l; exit 1`, "OOMKilled", ""},
	{"braces and a long word", `a=$(head -c 10000 /dev/zero | tr '\0' x); eval "echo {1..90000}$a" | wc -c`, "OOMKilled", ""},
	{"all paths", `echo /*/../*/../*/../*/../*/../*/../*/../* | wc -c`, "OOMKilled", ""},
	{"output of a command", `a=$(yes)`, "OOMKilled", ""},
	{"a file in a variable", `a=$(</dev/zero)`, "OOMKilled", ""},
	{"a line without end", `tr '\0' x < /dev/zero | read a`, "OOMKilled", ""},
	{"a script without end", `yes 'if true; then' | sh`, "Error", "nested too deeply"},
	{"a word without end", `tr '\0' x < /dev/zero | sh`, "OOMKilled", ""},
	{"wide numbers", `f=%999999d; f=$f$f$f$f$f$f$f$f; f=$f$f$f$f$f$f$f$f; f=$f$f$f$f$f$f$f$f; printf "$f" 1 | wc -c`, "OOMKilled", ""},
	{"functions", `f() { i=$1; eval "f$i() { echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; }"; }; i=0; while :; do f $((i+=1)); done`, "OOMKilled", ""},
	{"a recursion", `f() { f; }; f`, "Error", "nested too deeply"},
	{"a recursion of subshells", `f() { (f); }; f`, "Error", "can't fork: Resource temporarily unavailable"},
	{"a recursion of substitutions", `f() { echo $(f); }; f`, "Completed", "can't fork: Resource temporarily unavailable"},
	{"a script that calls itself", `printf '#!/bin/sh\n/tmp/s\n' > /tmp/s; chmod +x /tmp/s; /tmp/s`, "Error", "can't fork: Resource temporarily unavailable"},
	{"a fork bomb", `f() { f | f & }; f; sleep 3600`, "", "can't fork: Resource temporarily unavailable"},
	{"what is printed for a file, without end", `cat <(head -c 100G /dev/zero); exit 1`, "Error", "No space left on device"},
	{"processes that read from each other", `f() { cat < <(f); }; f`, "OOMKilled", ""},
	{"pipes that nobody reads", `f() { yes | sleep 3600; }; while :; do f & done`, "Error", "can't fork: Resource temporarily unavailable"},
	{"jobs that end", `i=0; while [ $i -lt 3000 ]; do true & i=$((i+1)); done; echo >&2 done; sleep 3600`, "", "done"},
	{"a file", `head -c 500000 /dev/zero > /tmp/y; while :; do cat /tmp/y; done >> /tmp/x`, "", "No space left on device"},
	{"a file of yes", `yes > /tmp/x`, "Error", "No space left on device"},
	{"a file of zeros", `head -c 100G /dev/zero > /tmp/x`, "Error", "No space left on device"},
	{"empty files", `i=0; while : > /tmp/$((i+=1)); do :; done; exit 1`, "Error", "No space left on device"},
	{"directories", `i=0; while mkdir /tmp/$((i+=1)); do :; done; exit 1`, "Error", "No space left on device"},
	{"links", `i=0; while ln -s / /tmp/$((i+=1)); do :; done; exit 1`, "Error", "No space left on device"},
	{"deep directories", `while mkdir d && cd d; do :; done; exit 1`, "Error", "File name too long"},
	{"an array of awk", `awk 'BEGIN { while (1) a[i++] = i }'`, "OOMKilled", ""},
	{"a string of awk", `awk 'BEGIN { s = "x"; while (1) s = s s }'`, "OOMKilled", ""},
	{"fields of awk", `awk 'BEGIN { while (1) { $(i += 1000) = "x" } }'`, "Error", "no such field"},
	{"arguments of awk's functions", `awk 'function f(s, n) { f(s "x", n+1) } BEGIN { s = sprintf("%999999d", 1); f(s, 1) }'`, "OOMKilled", ""},
	{"values of an expression of awk", `awk 'BEGIN { s = sprintf("%999999d", 1); (s 1)<((s 2)<((s 3)<((s 4)<((s 5)<((s 6)<((s 7)<((s 8)<(s 9)))))))) }'`, "OOMKilled", ""},
	{"records of many awks", `f() { head -c 2000000 /dev/zero; sleep 3600; }; for i in 1 2 3 4 5 6; do f | awk 1 & done; wait`, "OOMKilled", ""},
	{"what awk read ahead", `head -c 3000000 /dev/zero | tr '\0' a > /tmp/a
		awk 'BEGIN { RS = "a(.*Q)?"; while (1) { p = p "/."; getline x < (p "/tmp/a") } }'`, "OOMKilled", ""},
	{"a record of awk", `awk '{ print }' /dev/zero`, "OOMKilled", ""},
	{"a field of awk", `awk 'BEGIN { $1000000000 = "x" }'`, "Error", ""},
	{"a wide number of awk", `awk 'BEGIN { while (1) s = s sprintf("%1000000d", 1) }'`, "OOMKilled", ""},
	{"a function of awk that calls itself", `awk 'function f(x) { f(x x) } BEGIN { f("x") }'`, "OOMKilled", ""},
	{"sorted without end", `yes | sort`, "OOMKilled", ""},
	{"a line to sort", `sort /dev/zero`, "OOMKilled", ""},
	{"the last of what does not end", `yes | tail -n 1000000000`, "OOMKilled", ""},
	{"the last bytes of what does not end", `tail -c 100G /dev/zero`, "OOMKilled", ""},
	// Long lines: of one character each the same takes the race detector half a minute.
	{"a pattern space", `yes a line as long as those of most files are | sed ':a;N;ba'`, "OOMKilled", ""},
	{"a hold space", `yes a line as long as those of most files are | sed -n 'H'`, "OOMKilled", ""},
	{"a line of sed", `sed p /dev/zero`, "OOMKilled", ""},
	{"an argument of xargs", `tr '\0' x < /dev/zero | xargs echo`, "OOMKilled", ""},
	{"commands of xargs", `yes | xargs -n 1 echo >&2`, "", "y"},
	{"a line of grep", `grep x /dev/zero`, "OOMKilled", ""},
	{"a line of uniq", `uniq /dev/zero`, "OOMKilled", ""},
	{"a line of cut", `cut -c 1 /dev/zero`, "OOMKilled", ""},
	{"what sed puts for a match", `head -c 300000 /dev/zero | tr '\0' x | sed "s/.*/$(head -c 3000 /dev/zero | tr '\0' '&')/"`, "OOMKilled", ""},
	{"a script of sed", `yes 'p;p;p;p;p;p;p;p;p;p;p;p;p;p;p;p;p;p;p;p;p;p;p;p' | head -c 1000000 > /tmp/s; sed -f /tmp/s /etc/passwd`, "Error", "out of memory"},
	{"groups of sed", `sed -E "s/$(head -c 2000 /dev/zero | sed 's/\x00/(x?)/g')/y/" /etc/passwd`, "Error", "out of memory"},
	{"variables of envsubst", `v=$(head -c 300000 /dev/zero | tr '\0' x); export v
		yes '$v' | head -n 3000 | tr -d '\n' | envsubst | head -c 1 > /dev/null; exit 1`, "Error", ""},
	{"items of xargs", `head -c 300000 /dev/zero | tr '\0' x | xargs -I y echo $(head -c 3000 /dev/zero | tr '\0' y)`, "OOMKilled", ""},
	{"names of find", `d=/tmp; for i in 1 2 3 4 5 6 7 8; do d=$d/$(head -c 250 /dev/zero | tr '\0' a); done; mkdir -p $d
		find $d -exec true $(head -c 300000 /dev/zero | tr '\0' x | sed 's/x/{}/g') ';'; exit 1`, "OOMKilled", ""},
	{"lines of diff", `head -c 2000000 /dev/zero | tr '\0' '\n' > /tmp/a; (cat /tmp/a; echo x) > /tmp/b; diff /tmp/a /tmp/b`, "OOMKilled", ""},
	{"a set of tr", `tr "$(head -c 1000000 /dev/zero | tr '\0' a)" b < /dev/null`, "Error", "out of memory"},
	{"expressions of awk", `awk 'BEGIN { r = "(x?){900}"; while (1) { r = r "y"; if ("x" ~ r) n++ } }'`, "OOMKilled", ""},
	{"names of an array of awk", `awk 'function f() { for (k in a) f() } BEGIN { for (i = 0; i < 50000; i++) a[i]; f() }'`, "OOMKilled", ""},
	{"expressions of jq", `jq -n 'range(2500) | tostring as $i | "x" | test("(x?){900}" + $i)' | tail -n 1; exit 1`, "Error", ""},
	{"groups of jq", `jq -n '"x" * 30000 | [match("(x?)" * 1000; "g")] | length'; exit 1`, "Error", "out of memory"},
	{"a file that is none", `ln -sf /dev/zero /etc/resolv.conf; nslookup example; ln -sf /dev/zero /etc/passwd; ls -l /; exit 1`, "Error", ""},
	{"fields of cut", `head -c 300000 /dev/zero | tr '\0' , | cut -d , -f 1- --output-delimiter "$(head -c 100000 /dev/zero | tr '\0' x)" | head -c 1 > /dev/null; exit 1`, "Error", ""},
	{"the last bytes of many", `for i in 1 2 3; do (head -c 3500000 /dev/zero; sleep 3600) | tail -c 25000000 & done; wait`, "OOMKilled", ""},
	{"all but the last bytes of many", `for i in 1 2 3; do (head -c 3500000 /dev/zero; sleep 3600) | head -c -25000000 & done; wait`, "OOMKilled", ""},
	{"a form of stat", `d=/tmp; for i in 1 2 3 4 5 6 7 8; do d=$d/$(head -c 250 /dev/zero | tr '\0' a); done; mkdir -p $d
		stat -c "$(head -c 400000 /dev/zero | tr '\0' n | sed 's/n/%n/g')" $d | head -c 1 > /dev/null; exit 1`, "Error", ""},
	{"fields that uniq leaves out", `(echo; echo) | uniq -f 9000000000000000000; exit 1`, "Error", ""},
	// What takes minutes in one step: whoever is asked meanwhile ends when it is killed.
	{"an expression of grep", `head -c 1000000 /dev/zero | tr '\0' x > /tmp/l; grep -cE '(x?){1000}(x?){1000}(x?){1000}(x?){1000}$' /tmp/l` + killed, "Error", ""},
	{"an expression of the shell", `a=$(head -c 300000 /dev/zero | tr '\0' x); [[ $a =~ (x?){1000}(x?){1000}(x?){1000}(x?){1000}$ ]]` + killed, "Error", ""},
	{"an expression of the shell that is large", `[[ x =~ (x?){1000}(x?){1000}(x?){1000}(x?){1000}(x?){1000}(x?){1000}(x?){1000}(x?){1000}(x?){1000} ]]; exit 1`, "OOMKilled", ""},
	{"a pattern of the shell", `a=$(head -c 300000 /dev/zero | tr '\0' x); case $a in *x*x*x*x*x*x*x*x*x*x*x*x*x*x*x*x*x*x*x*x*x*x*x*x*x*x*x*x*x*x*x*x*y) ;; esac; exit 1`, "Error", ""},
	{"an expression of sed", `head -c 1000000 /dev/zero | tr '\0' x > /tmp/l; sed -nE '/(x?){1000}(x?){1000}(x?){1000}(x?){1000}$/=' /tmp/l` + killed, "Error", ""},
	{"an expression of awk", `head -c 1000000 /dev/zero | tr '\0' x > /tmp/l; awk '/(x?){1000}(x?){1000}(x?){1000}(x?){1000}$/' /tmp/l` + killed, "Error", ""},
	{"matches that look at all that is left", `head -c 2000000 /dev/zero | tr '\0' x > /tmp/l; sed -E 's/x*y|x//g' /tmp/l` + killed, "Error", ""},
	{"an expression of jq", `jq -n '"x" * 2500000 | test("(?:x?){1000}(?:x?){1000}(?:x?){1000}(?:x?){1000}$")'` + killed, "Error", ""},
	{"a separator of awk", `head -c 1000000 /dev/zero | tr '\0' x > /tmp/l; awk -F 'x*y|x' '{ print NF }' /tmp/l` + killed, "Error", ""},
	{"lines of diff that are alike", `awk 'BEGIN { for (i = 0; i < 60000; i++) print int(rand()*150) }' > /tmp/a
		awk 'BEGIN { srand(2); for (i = 0; i < 60000; i++) print int(rand()*150) }' > /tmp/b; diff /tmp/a /tmp/b > /dev/null` + killed, "Error", ""},
	{"a tree that is shown", `mkdir -p /tmp/t; i=0; while : > /tmp/t/$((i+=1)); do :; done 2>/dev/null; find / -name x; ls -R / | sort | tail -n 1; exit 1`, "Error", ""},
	{"open files", `f() { { f; } 3</etc/passwd 4</etc/passwd 5</etc/passwd; }; f; exit 1`, "Error", "Too many open files"},
	{"open files of many", `f() { { echo > /tmp/opened; sleep 3600; } 3</etc/passwd 4</etc/passwd 5</etc/passwd & }
		while :; do rm -f /tmp/opened; f; until [ -e /tmp/opened ]; do :; done; done`, "", "Too many open files"},
}

// killed ends a command that is still at it, and waits until it has gone.
const killed = ` & sleep 1; kill -9 $!; wait $!; [ $? != 137 ] || exit 1`

// TestHostilePods runs them one by one, with little for each to have. Meanwhile the heap stays
// within what the limits say, and afterwards nothing is held.
func TestHostilePods(t *testing.T) {
	root := t.TempDir()
	pods := program.NewCgroup(nil, program.Limits{}, nil)
	f := newFixture(t, withShell, func(o *Options) {
		o.RootDir = root
		o.Disk = nodefs.New(root, nodefs.Usage{Bytes: 32 << 20, Inodes: 2000}, nil)
		o.Pods = pods
		o.ContainerLimits = program.Limits{Memory: 8 << 20, Pids: 60, Files: 60}
	})
	for _, pod := range hostile {
		t.Run(pod.name, func(t *testing.T) {
			peak := heapPeak()
			f.t = t
			sandbox, sc := f.pod()
			defer func() { _ = f.RemovePodSandbox(context.Background(), sandbox) }()
			id := f.create(sandbox, sc, &runtimeapi.ContainerConfig{
				Metadata: &runtimeapi.ContainerMetadata{Name: "main"}, LogPath: "main/0.log",
				Image: &runtimeapi.ImageSpec{Image: f.pull("busybox:1.36")}, Command: []string{"sh", "-c", pod.script},
			})
			if err := f.StartContainer(t.Context(), id); err != nil {
				t.Fatal(err)
			}
			said := func() string { _, stderr := f.log(id, false); return stderr }
			if pod.reason == "" {
				eventually.True(t, "its complaint", func() bool { return strings.Contains(said(), pod.stderr) })
				if err := f.StopContainer(t.Context(), id, 0); err != nil {
					t.Fatal(err)
				}
			}
			st := f.wait(id)
			if pod.reason != "" && st.Reason != pod.reason || pod.reason == "OOMKilled" && st.ExitCode != 137 {
				t.Errorf("ended with %s, code %d; it said %.500q", st.Reason, st.ExitCode, said())
			}
			if !strings.Contains(said(), pod.stderr) {
				t.Errorf("it said %.500q", said())
			}
			if got := peak(); got > 512<<20 {
				t.Errorf("the heap grew by %d MiB", got>>20)
			}
			if err := f.RemovePodSandbox(t.Context(), sandbox); err != nil {
				t.Fatal(err)
			}
			if got := pods.Memory(); got != 0 {
				t.Errorf("%d bytes are held after its end", got)
			}
		})
	}
}

// heapPeak watches how far the heap grows until the returned function is called, in bytes.
func heapPeak() (end func() uint64) {
	runtime.GC()
	live := func() uint64 {
		sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	before, most := live(), []uint64{}
	stop := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		ticks := time.NewTicker(5 * time.Millisecond)
		defer ticks.Stop()
		for {
			select {
			case <-ticks.C:
				most = append(most, live())
			case <-stop:
				return
			}
		}
	})
	return func() uint64 {
		close(stop)
		watching.Wait()
		if len(most) == 0 {
			return 0
		}
		return max(slices.Max(most), before) - before
	}
}
