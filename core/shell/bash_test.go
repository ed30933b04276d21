//go:build !js

package shell_test

import (
	"os"
	"testing"
)

const bash = "/bin/bash"

// likeBash are scripts of what bash has beside POSIX, and of what the shell makes good where package expand is
// another one: they print the same, and end with the same code, in bash and here. Each begins in an empty directory.
var likeBash = []string{
	// Arrays with holes.
	"a[5]=x; a[2]=y; echo ${#a[@]} \"${a[@]}\" ${!a[@]} \"${a[*]}\" ${a[-1]} ${a[0]-none}; declare -p a",
	"a=([5]=x y [2]=z w); declare -p a; a+=(v); declare -p a; a+=([1]=u); declare -p a; a[1]+=s; a[9]+=t; declare -p a",
	"a[999999999]=x; a[4611686018427387904]=y; echo ${#a[@]} ${!a[@]} ${a[@]: -1} ${a[999999999]}; a+=(z); unset 'a[999999999]'; declare -p a",
	"a[9223372036854775807]=x; echo ${!a[@]} ${a[-1]}; a[-1]=y; echo \"${a[@]}\"; unset 'a[-1]'; echo ${#a[@]}",
	"a=(1 2 3 4 5); unset 'a[1]' 'a[3]'; for i in \"${!a[@]}\"; do echo $i=${a[i]}; done; echo \"${a[@]:2}\" \"${a[@]:1:1}\" \"${a[@]: -2:1}\"",
	"a=(1 2 3); unset 'a[-1]'; declare -p a; unset 'a[7]'; echo $?; unset 'a[-9]' 2>/dev/null; echo $?; unset 'a[@]'; declare -p a; echo ${#a[@]}",
	"a=(x y); a[-1]=z; declare -p a\na[-3]=1 2>/dev/null\necho $?; declare -p a",
	"b=x; b+=(y); declare -p b; b[0]+=z; declare -p b; s=xyz; unset 's[1]' 2>/dev/null; echo $? $s; unset 's[0]'; echo $? [$s]",
	"a=(1 2 3); b=(\"${a[@]}\"); unset 'b[0]'; declare -p a b; (a[7]=q; declare -p a); declare -p a",
	"a=([3]=x [1]=y); a=(\"${a[@]}\"); declare -p a; a=(); declare -p a; declare -a e; declare -p e; declare -A f; declare -p f",
	"a=(x 'b c' ''); printf '<%s>' \"${a[@]}\"; echo; printf '<%s>' ${a[@]}; echo; printf '<%s>' \"${a[@]/b/z}\"; echo; printf '<%s>' \"${a[@]%c}\"; echo",
	"f() { local -a l; l[3]=x; declare -p l; unset 'l[3]'; declare -p l; }; f; declare -n r=a; a=(1 2 3); unset 'r[1]'; declare -p a; r[5]=z; declare -p a",
	"mapfile -t a <<< $'x\\ny'; unset 'a[0]'; declare -p a; i=3; a[i+1]=q; a[i*2]=w; echo ${a[i+1]} ${!a[@]}; unset \"a[i+1]\"; echo ${!a[@]}",
	"readonly -a a=(1 2)\nunset 'a[0]' 2>/dev/null\necho $?; declare -p a",
	"a=(1 2 3); ((a[1]++)); ((a[i=2]+=10)); ((--a[0])); echo \"${a[@]}\" $i $((a[5] = a[1] * 2)) ${!a[@]}; ((a[-1] <<= 1)); echo $((a[5])) $((0 && a[0]++)) ${a[0]}; for ((a[7]=0; a[7] < 3; a[7]++)); do printf x; done; echo ${a[7]}",
	"declare -A c; for w in x y 'z z' x; do ((c[$w]++)); done; echo ${c[x]} ${c[y]} ${#c[@]}; k=y; ((c[$k]*=7)); echo $((c[$k] + c[x])); let 'c[q]=5' 'n[3]=4'; echo ${c[q]} ${n[3]} ${!n[@]}",
	// Associative ones.
	"declare -A m=([a]=1 [b]=2 [c]=3); echo ${#m[@]} ${#m[*]} \"${#m[@]}\" $((${#m[@]} + 1)) ${m[b]}; ((${#m[@]} == 3)) && echo three; x=abcdef; echo ${x:${#m[@]}}",
	"declare -A m; echo ${#m[@]}; m['x y']=1; m['a\"b']=2; unset 'm[x y]'; declare -p m; k='a\"b'; unset 'm[$k]'; declare -p m; m[k]+=v; m[k]+=w; echo ${m[k]} ${#m[k]}",
	"declare -A m=([k]='a $b \"c\" `d` \\e'); declare -p m; declare -n r=m; echo ${#r[@]}; f() { local -A m=([q]=1 [r]=2); echo ${#m[@]}; }; f; echo ${#m[@]}",
	// declare.
	"x='a $b \"c\" `d` \\e'; declare -p x; export x; declare -p x; readonly y=1; declare -p y; declare z; declare -p z; declare -p nosuch 2>/dev/null; echo $?; declare -n r=x; declare -p r",
	"f() { :; }; declare -F f; echo $?; declare -F g; echo $?; declare -f g; echo $?; unset -f f; declare -F f; echo $?",
	// Fields.
	"IFS=: read a b c <<< p::q; echo \"[$a][$b][$c]\"; IFS=: read a b <<< 1:2:; echo \"[$a][$b]\"; IFS=: read a b <<< 1:2::; echo \"[$a][$b]\"; IFS=: read a b <<< 1:2:3:; echo \"[$a][$b]\"",
	"IFS=: read a <<< 1:; echo \"[$a]\"; IFS=: read a <<< ::; echo \"[$a]\"; IFS=: read a b <<< ''; echo \"[$a][$b]\"; IFS=: read -r a b <<< 'x\\:y:z'; echo \"[$a][$b]\"; IFS=: read a b <<< 'x\\:y:z'; echo \"[$a][$b]\"",
	"IFS=' :' read a b c <<< ' x : y:z '; echo \"[$a][$b][$c]\"; IFS=' :' read a b <<< ' : x'; echo \"[$a][$b]\"; read a b <<< '  x   y z  '; echo \"[$a][$b]\"; read a <<< '  x y '; echo \"[$a]\"; read a b <<< 'x\\ y z\\ '; echo \"[$a][$b]\"",
	"IFS=, read -r -a a <<< a,,b,; declare -p a; read -a a <<< ' x  y '; declare -p a; IFS=: read -a a <<< ::; declare -p a; read -a a <<< ''; declare -p a; IFS= read -r a <<< '  x  '; echo \"[$a]\"",
	"read <<< '  a \\b  '; echo \"[$REPLY]\"; read -r <<< '  a \\b  '; echo \"[$REPLY]\"; printf 'a\\\\\\nb c\\n' | { read x y; echo \"[$x][$y]\"; }",
	"x=p::q; IFS=:; set -- $x; printf '[%s]' $# \"$@\"; echo; set -- a$x; printf '[%s]' $# \"$@\"; echo; set -- $x$x; printf '[%s]' $# \"$@\"; echo; set -- \"$x\" $x; printf '[%s]' $# \"$@\"; echo",
	"IFS=' :'; for x in ' :a' 'a : b' 'a:' ' a ' ':' '::' ' ' '' 'a: :b' ': a :'; do set -- $x; printf '[%s]' $# \"$@\"; set -- $x'q'; printf '[%s]' $# \"$@\"; set -- \"q\"$x; printf '[%s]' $# \"$@\"; set -- $x\"\"; printf '[%s]' $# \"$@\"; echo; done",
	"IFS=:; y='a:' z=':b'; set -- $y$z; printf '[%s]' $# \"$@\"; IFS=' :'; y='a ' z=':b'; set -- $y$z; printf '[%s]' $# \"$@\"; e=; set -- $e; echo $#; set -- $e$e\"\"; echo $#; set -- :$y:; printf '[%s]' $# \"$@\"; echo",
	"IFS=,; x='1,,2'; a=($x); echo ${#a[@]}; for i in $x; do printf '<%s>' \"$i\"; done; echo; set -- 'a,b' '' c,; printf '<%s>' $@; echo; printf '<%s>' $*; echo; printf '<%s>' \"$*\"; echo; printf '<%s>' \"$@\"; echo; printf '<%s>' x$@y; echo; printf '<%s>' ${a[@]} ${a[*]}; echo",
	"IFS=:; touch b.txt a.txt; x='*.txt:?.txt:no*'; printf '<%s>' $x; echo; set -f; printf '<%s>' $x; echo; set +f; x='{a,b}*:~:a\\b'; printf '<%s>' $x; echo; printf '<%s>' {x,y}$x; echo; printf '<%s>' $(echo 1::2) `echo ':3'`; echo",
	"IFS=1; echo $((2134)) \"$((2134))\"; IFS=; x='a b'; printf '<%s>' $x; echo; set -- 'a b' c; printf '<%s>' $* $@ \"$*\"; echo; unset IFS; printf '<%s>' $x; echo; IFS=$'\\n'; x=$'a b\\n\\nc\\n'; printf '<%s>' $x; echo",
	"IFS=é; x=aébéécc; printf '<%s>' $x; echo; IFS=:; HOME=/h:i; printf '<%s>' ~ ~/x x=$HOME; echo; i=0; IFS=:; printf '<%s>' $((i++))\"$((i++))\"$((i++)); echo; x=; printf '<%s>' $x\"a\"$x ''$x; echo",
	// Backslashes.
	"x=a\\ b; echo \"$x\"; echo \"${x#a\\ }\" \"${y:-a\\ b}\" ${y:-a\\ b} \"${y:-\\$x\\}}\"; case 'a b' in a\\ b) echo case;; esac; echo hi > c\\ d; cat 'c d'; cat <<< a\\\\b\\c; x=~\\/y; echo \"${x#$HOME}\"; x=\\~; echo $x",
	"x='a*b*c'; echo \"${x#*\"*\"}\" \"${x%%'*'*}\" \"${x#a\\*}\" \"${x//'*'/-}\" \"${x/b\\*/\\/}\"; declare -A m; m[a\\ b]=1; echo ${m[a\\ b]} ${m['a b']}; s=a.b; [ \"$s\" = a\\.b ] && echo same",
	// [[ =~ ]].
	"[[ abc =~ a(.)(x)?c ]]; echo $? ${#BASH_REMATCH[@]} \"${BASH_REMATCH[0]}\" \"${BASH_REMATCH[1]}\"; [[ abc =~ x ]]; echo $? ${#BASH_REMATCH[@]}; [[ a.c =~ a\\.c ]] && [[ abc =~ a.c ]]; echo $?; [[ abc =~ \"a.c\" ]]; echo $?; [[ a.c =~ 'a.'c ]]; echo $?",
	"r='^[]a-c]+$'; [[ 'a]b' =~ $r ]]; echo $?; r='[\\w]'; [[ 'w' =~ $r ]]; echo $?; [[ x =~ $r ]]; echo $?; r='\\<b'; [[ 'a b' =~ $r ]]; echo $?; r='^[[:digit:]]+(\\.[[:digit:]]{1,2})?$'; for n in 1 1.25 1.256; do [[ $n =~ $r ]]; echo $?; done",
	"[[ 2026-11-28 =~ ^([0-9]{4})-([0-9]{2})-([0-9]{2})$ ]]; printf '<%s>' \"${BASH_REMATCH[@]}\"; echo; shopt -s nocasematch; [[ ABC =~ abc ]]; echo $?; [[ ABC == a* ]]; echo $?; case X in x) echo case;; esac",
	// Patterns.
	"[[ a123z == a+([0-9])z ]]; echo $?; [[ az == a?([0-9])z ]]; echo $?; [[ foo == @(foo|bar) ]]; echo $?; [[ foo == !(foo) ]]; echo $?; [[ baz == !(foo|bar) ]]; echo $?; p='@(a|b)'; [[ a == $p ]]; echo $?; [[ '@(a)' == \"@(a)\" ]]; echo $?",
	"shopt -s extglob\ntouch az a1z a12z b; echo a?([0-9])z; echo a*([0-9])z; echo a+([0-9])z; echo [b]@(|c); echo !(a*); case foo.tar in *.@(tar|zip)) echo archive;; esac",
	// shopt.
	"shopt nullglob; echo $?; shopt -q nullglob; echo $?; shopt -p nullglob; echo $?; shopt -s nullglob; echo $?; shopt nullglob; echo $?; shopt -p nullglob; echo $?; echo no* such; shopt -u nullglob; echo no* such; shopt nosuch 2>/dev/null; echo $?; shopt -s nosuch 2>/dev/null; echo $?",
	"touch .h v; echo *; shopt -s dotglob; echo *; (shopt -u dotglob; echo *); echo *; shopt -u dotglob; shopt -s nocaseglob; echo V*; mkdir -p d/e; touch d/e/f; shopt -s globstar; echo **/f; shopt -q dotglob globstar; echo $?; shopt -q nocaseglob globstar; echo $?",
	"shopt -so pipefail; shopt -o pipefail; echo $?; shopt -po pipefail; false | true; echo $?; shopt -uo pipefail; shopt -qo pipefail; echo $?; shopt -s expand_aliases; alias e='echo aliased'\ne x\nshopt -u expand_aliases\ne x 2>/dev/null; echo $?",
	// Others.
	"cat <<E\nE\ncat <<-'E'\nE\ncat <<E | wc -c\nE\necho $?",
	"set -- a b; set +; echo $#; set + c; echo $# $1; set -x 2>/dev/null; set -; echo $-  | tr -d 'himBHcs'; set -; echo $#; set - q; echo $1",
	"touch a; [ a -nt b ]; echo $?; [ b -ot a ]; echo $?; [ b -nt a ]; echo $?; [[ c -nt b ]]; echo $?; [ a -nt a ]; echo $?",
	"declare -n foo=bar; foo=value env | grep '^bar='; echo [$bar]; RANDOM=7; a=$RANDOM$RANDOM; RANDOM=7; [ $a = $RANDOM$RANDOM ]; echo $?",
	"let x=1+2; echo $? $x; let 'y = x * 2' z=0; echo $? $y $z; let x==3 >/dev/null; echo $?; echo {1..20000} | wc -w; echo {a,b}{1..3} {01..3} {5..1..2} {c..a}",
}

// TestLikeBash runs each script in both. A difference is to be cured, or its script is not in the table.
func TestLikeBash(t *testing.T) {
	if _, err := os.Stat(bash); err != nil {
		t.Skipf("%v: there is nothing to compare with (Debian's package bash)", err)
	}
	for _, script := range likeBash {
		t.Run(script, func(t *testing.T) {
			likeTheirs(t, script, []string{"PATH=/usr/bin:/bin", "HOME=/home/u", "LC_ALL=C.UTF-8"}, bash, "-c", script)
		})
	}
}
