package shell_test

import (
	"context"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/shell"
)

func TestTools(t *testing.T) {
	const lines = "printf 'one\\ntwo\\nthree\\nTwo\\n' > f; "
	for _, c := range []scriptCase{
		{"cat /nosuch /etc", "", "cat: can't open '/nosuch': No such file or directory\ncat: can't open '/etc': Is a directory\n", 1},
		{"cat -z", "", "cat: unrecognized option: z\nUsage: cat [-nbeEtTsu] [FILE]...\n", 1},
		{lines + "cat -n f | tail -1", "     4\tTwo\n", "", 0},
		{lines + "head -n 2 f; head -1 f; head -n -3 f; head -c 3 f", "one\ntwo\none\none\none", "", 0},
		{lines + "tail -n 1 f; tail -n +4 f; tail -c 4 f", "Two\nTwo\nTwo\n", "", 0},
		{lines + "grep two f; grep -ic two f; grep -v o f; grep -n three f; grep -q nosuch f; echo $?", "two\n2\nthree\n3:three\n1\n", "", 0},
		{lines + `grep -E '^(one|three)$' f; grep 't[wh][or]' f; grep -o 'e*$' f; grep '\(o\)n' f`, "one\nthree\ntwo\nthree\ne\nee\none\n", "", 0},
		{lines + "mkdir d; cp f d; grep -rl two .; grep -h two f d/f; grep -A1 -B1 three f", "./d/f\n./f\ntwo\ntwo\ntwo\nthree\nTwo\n", "", 0},
		{`echo 'a1 token: s3 [x]' | grep -oP '\w\d+?|[\w\]]+\]'`, "a1\ns3\nx]\n", "", 0},
		{`echo x | grep -oP '(?<=token: )\S+'`, "", "grep: bad regular expression '(?<=token: )\\S+': invalid named capture (grep -P is RE2 here, without lookaround, \\K and back-references)\n", 2},
		{`echo x | grep -P 'x\K'`, "", "grep: bad regular expression 'x\\K': invalid escape sequence (grep -P is RE2 here, without lookaround, \\K and back-references)\n", 2},
		{"grep x /nosuch", "", "grep: can't open '/nosuch': No such file or directory\n", 2},
		{lines + "wc f; wc -l < f; cat f f | wc -w", "        4         4        18 f\n4\n8\n", "", 0},
		{"printf 'b 2\\na 10\\nc 1\\n' | sort; printf '3\\n10\\n2\\n' | sort -n; printf 'b 2\\na 10\\n' | sort -k2n; printf 'x:2\\ny:1\\n' | sort -t: -k2 -r; printf 'a\\nb\\na\\n' | sort -u",
			"a 10\nb 2\nc 1\n2\n3\n10\nb 2\na 10\nx:2\ny:1\na\nb\n", "", 0},
		{"printf 'a\\na\\nb\\n' | uniq -c; printf 'a\\na\\nb\\n' | uniq -d", "      2 a\n      1 b\na\n", "", 0},
		{"echo a:b:c | cut -d: -f2-; echo abcdef | cut -c2-3,5; echo plain | cut -d: -f2; echo plain | cut -sd: -f2", "b:c\nbce\nplain\n", "", 0},
		{"echo hello | tr a-y b-z; echo aabbc | tr -s ab; echo a1b2 | tr -d '[:digit:]'; echo 'a b' | tr ' ' '\\n'", "ifmmp\nabc\nab\na\nb\n", "", 0},
		{lines + "sed s/o/0/g f; sed -n 2p f; sed 1,3d f; sed -n '/two/,/Two/{s/T/t/;p}' f", "0ne\ntw0\nthree\nTw0\ntwo\nTwo\ntwo\nthree\ntwo\n", "", 0},
		{lines + `sed -i 's/\(t\)wo/\1WO/' f; cat f; sed -E 's/(.)(.)/\2\1/;2q' f; sed '$a end' f | tail -1; sed '/o/!d;=' f | head -2`, "one\ntWO\nthree\nTwo\nnoe\nWtO\nend\n1\none\n", "", 0},
		{"echo a.b.c | sed 's/\\./-/2'; echo path | sed 's|p|/|'; echo x | sed 'i before' ; printf 'a\\nb\\n' | sed N\\;s/\\\\n/+/; echo abc | sed y/abc/xyz/", "a.b-c\n/ath\nbefore\nx\na+b\nxyz\n", "", 0},
		{"echo x | sed k", "", "sed: unsupported command k\n", 1},
		{"seq 3; seq 2 2 6; seq -w 8 10; seq -s, 3; seq 3 -1 1", "1\n2\n3\n2\n4\n6\n08\n09\n10\n1,2,3\n3\n2\n1\n", "", 0},
		{"mkdir -p a/b; echo one > a/f; echo two > a/b/g; ln -s f a/l; chmod 600 a/f; tar cf - a | tar xmf - -C /tmp; cat /tmp/a/f /tmp/a/b/g /tmp/a/l; ls -l /tmp/a/f | cut -c1-10; tar cf t.tar -C a f b; tar tf t.tar; tar -x -f t.tar -C ~ b; ls -R ~",
			"one\ntwo\none\n-rw-------\nf\nb/\nb/g\n/home/u:\nb\n\n/home/u/b:\ng\n", "", 0},
		{"tar cf - /nosuch | wc -c; echo no | tar xf -", "1024\n", "tar: /nosuch: No such file or directory\ntar: read the archive: unexpected EOF\n", 1},
		{`expr 7 % 2; expr 1 + 2 '*' 3; expr '(' 1 + 2 ')' '*' 3; expr abc : 'a\(.\)'; expr abcd : 'ab'; expr 10 '>' 9; expr b '>' a; expr length four`,
			"1\n7\n9\nb\n2\n1\n1\n4\n", "", 0},
		{`expr 0 + 0; echo $?; expr '' '|' x; expr 1 / 0; echo $?; expr a + 1; expr 1 +; if [ $(expr 3 % 2) -ne 0 ]; then echo odd; fi`,
			"0\n1\nx\n2\nodd\n", "expr: division by zero\nexpr: non-integer argument\nexpr: syntax error\n", 0},
		{"mkdir a; mkdir a; mkdir -p a/b/c; rmdir a; rmdir a/b/c; ls a/b", "", "mkdir: can't create directory 'a': File exists\nrmdir: 'a': Directory not empty\n", 0},
		{"mkdir a; touch a/f; rm a; rm -r a; rm a; rm -f a; echo $?", "0\n", "rm: 'a' is a directory\nrm: can't remove 'a': No such file or directory\n", 0},
		{"echo x > f; cp f g; mkdir d; cp f g d; cp -r d e; cp d h; ls e; cp f f; cp /nosuch x", "f\ng\n", "cp: omitting directory 'd'\ncp: 'f' and 'f' are the same file\ncp: can't stat '/nosuch': No such file or directory\n", 1},
		{"echo x > f; mv f g; ls f; mkdir d; mv g d; ls d; mv /nosuch y", "g\n", "ls: f: No such file or directory\nmv: can't rename '/nosuch': No such file or directory\n", 1},
		{"echo x > f; ln -s f l; readlink l; cat l; ls -l l | cut -c1; ln -s f l; readlink -f l; realpath l", "f\nx\nl\n/f\n/f\n", "ln: l: File exists\n", 0},
		{"touch f; chmod 640 f; ls -l f | cut -c1-10; chmod u+x,g-r f; stat -c '%a %F %s' f; chmod x f", "-rw-r-----\n700 regular empty file 0\n", "chmod: invalid mode 'x'\n", 1},
		{"mkdir d; touch d/.h d/a d/b; ls d; ls -a d; ls -A d; ls -1r d; ls d/a d", "a\nb\n.\n..\n.h\na\nb\n.h\na\nb\nb\na\nd/a\n\nd:\na\nb\n", "", 0},
		{"mkdir -p x/y; touch x/f.txt x/y/g.txt; find x; find x -name '*.txt' -type f; find x -maxdepth 1 -type d; find x -name g.txt -exec echo got {} \\;; find x -type f -delete; find x", "x\nx/f.txt\nx/y\nx/y/g.txt\nx/f.txt\nx/y/g.txt\nx\nx/y\ngot x/y/g.txt\nx\nx/y\n", "", 0},
		{"echo a b c | xargs -n 2 echo +; printf 'x\\ny\\n' | xargs -I{} echo '<{}>'; echo '' | xargs -r echo no; echo z | xargs false; echo $?", "+ a b\n+ c\n<x>\n<y>\n123\n", "", 0},
		{"basename /a/b.c .c; basename /a/; dirname /a/b; dirname f", "b\na\n/a\n.\n", "", 0},
		{"hostname; whoami; id -u; uname -n; uname; pwd", "box\nroot\n0\nbox\nLinux\n/\n", "", 0},
		{"echo hi | base64; echo aGkK | base64 -d; echo hi | md5sum; echo hi | sha256sum | cut -c1-8", "aGkK\nhi\n764efa883dda1e11db47671c4a3bbd9e  -\n98ea6e4f\n", "", 0},
		{"echo x > f; sha256sum f > s; sha256sum -c s; echo y > f; sha256sum -c s", "f: OK\nf: FAILED\n", "", 1},
		{"date -u -d @0 +%Y-%m-%dT%H:%M:%SZ; date -d '2024-02-29' +%j; date -u -d @86400; date -Iseconds -d @0", "1970-01-01T00:00:00Z\n060\nFri Jan  2 00:00:00 UTC 1970\n1970-01-01T00:00:00+00:00\n", "", 0},
		{"echo x | tee a b; cat a b; echo y | tee -a a > /dev/null; cat a", "x\nx\nx\nx\ny\n", "", 0},
		{"mkdir -p d/e d/.h; touch d/a d/e/f d/z; ln -s a d/l; tree d", "d\n├── a\n├── e\n│\u00a0\u00a0 └── f\n├── l -> a\n└── z\n\n2 directories, 4 files\n", "", 0},
		{"mkdir -p d/e/f d/.h; tree -a -d -L 1 d; tree nosuch; echo $?; tree -L 0", "d\n├── .h\n└── e\n\n3 directories\nnosuch  [error opening dir]\n\n0 directories, 0 files\n2\n", "tree: Invalid level, must be greater than 0.\n", 1},
		{"which ls nosuch; echo $?", "/bin/ls\n1\n", "", 0},
		{"printf 'a 1\\nb 2\\n' | awk '{print $2}'; awk -F: -v x=y 'END {print $2, x}' <<< a:b; echo 1 > f; awk '{print > \"g\"}' f; cat g; awk '{'", "1\n2\nb y\n1\n", "awk: line 1: syntax error: unexpected end of program\n", 2},
		{"echo 1 | jq .a; echo '{' | jq .; jq '.['; jq --nosuch .; jq . nosuch", "", "jq: error: expected an object but got: number (1)\nparse error: unexpected EOF\njq: error: unexpected EOF\njq: 1 compile error\n" +
			"jq: error: unknown option --nosuch\nUse jq --help for help with command-line options\njq: error: Could not open nosuch: No such file or directory\n", 2},
		{`jq -n '"x" * 1e9'; echo $?; yes '[' | jq .; head -c 20000000 /dev/zero | jq -R length; jq -n 'repeat(1)' | head -n 1`, "5\n1\n",
			"jq: error: out of memory (jq keeps 32 MiB at most)\nparse error: invalid character '[' exceeded max depth\njq: error: out of memory (jq keeps 32 MiB at most)\n", 0},
		{`jq -cn 'reduce range(20000) as $i (null; [.])' > f; echo $?; wc -c < f`, "5\n10001\n", "jq: error: a value that is more than 10000 levels deep cannot be printed\n", 0},
		{"openssl ecparam -name prime256v1 -genkey -noout -out k; ls -l k | cut -c1-10; openssl req -new -key k -subj /CN=jane/O=dev | openssl req -noout -subject; openssl x509 -in nosuch", "-rw-------\nsubject=CN = jane, O = dev\n", "openssl x509: open nosuch: No such file or directory\n", 1},
		{"sleep x", "", "sleep: invalid number 'x'\n", 1},
		{"ping 10.0.0.1", "", "ping: permission denied (the in-tab network carries no ICMP; try nc -z HOST PORT, or wget)\n", 1},
		{"printf 'hello\\377 world\\n' | hexdump -C; printf abc | hexdump; head -c 64 /dev/zero | hd | cut -c1-13", "00000000  68 65 6c 6c 6f ff 20 77  6f 72 6c 64 0a           |hello. world.|\n0000000d\n0000000 6261 0063\n0000003\n00000000  00 \n*\n00000040\n", "", 0},
		{"mktemp -d | cut -c1-9; ls /tmp | wc -l; du -s /tmp | cut -f2; stat /nosuch", "/tmp/tmp.\n1\n/tmp\n", "stat: can't stat '/nosuch': No such file or directory\n", 1},
		{"ps | head -1; sleep 5 & pidof sleep | wc -w; kill $!", "PID   USER     TIME  COMMAND\n1\n", "", 0},
	} {
		t.Run(c.script, func(t *testing.T) {
			p, out, errOut := container(t, "sh", "-c", c.script)
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			code := shell.Sh(ctx, p)
			if out.String() != c.stdout || errOut.String() != c.stderr || code != c.code {
				t.Errorf("prints %q, %q and exits with %d,\nwant   %q, %q and %d", out.String(), errOut.String(), code, c.stdout, c.stderr, c.code)
			}
		})
	}
}

// loopback is a pod's network in which "web" is 127.0.0.1.
type loopback struct{}

var _ program.Network = loopback{}

func (loopback) Listen(ctx context.Context, network, address string) (net.Listener, error) {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	return new(net.ListenConfig).Listen(ctx, network, "127.0.0.1:"+port)
}

func (loopback) ListenPacket(ctx context.Context, network, address string) (net.PacketConn, error) {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	return new(net.ListenConfig).ListenPacket(ctx, network, "127.0.0.1:"+port)
}

func (loopback) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, network, address)
}

func (loopback) LookupHost(_ context.Context, host string) ([]string, error) {
	if host == "web" {
		return []string{"127.0.0.1"}, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}

func (loopback) IPs() []net.IP { return []net.IP{net.IPv4(10, 244, 1, 5)} }

func TestNetworkTools(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/missing":
			http.NotFound(w, r)
		case "/slow":
			select {
			case <-time.After(5 * time.Second):
			case <-r.Context().Done():
			}
		case "/moved":
			http.Redirect(w, r, "/page", http.StatusFound)
		default:
			w.Header().Set("Content-Type", "text/plain")
			w.Write([]byte(r.Method + " " + r.URL.Path + " " + r.Header.Get("X-Test") + "\n"))
		}
	})}
	go server.Serve(l)
	defer server.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	for _, c := range []scriptCase{
		{"wget -qO- http://web:PORT/page", "GET /page \n", "", 0},
		{"wget -q -O - --header 'X-Test: yes' web:PORT/", "GET / yes\n", "", 0},
		{"wget web:PORT/page; cat page", "GET /page \n", "Connecting to web (127.0.0.1:PORT)\nsaving to 'page'\npage                 100% |********************************|    11  0:00:00 ETA\n'page' saved\n", 0},
		{"wget -q web:PORT/missing", "", "wget: server returned error: HTTP/1.1 404 Not Found\n", 1},
		{"wget -q --spider web:PORT/page; echo $?; wget -qO- web:PORT/moved", "0\nGET /page \n", "", 0},
		{"wget -q nosuch:PORT/", "", "wget: bad address 'nosuch'\n", 1},
		{"wget -q 127.0.0.1:1/", "", "wget: can't connect to remote host (127.0.0.1): Connection refused\n", 1},
		{"wget -q -T 0.2 web:PORT/slow", "", "wget: download timed out\n", 1},
		{"wget -qO- --post-data a=b web:PORT/post", "POST /post \n", "", 0},
		{"curl -s web:PORT/page; curl -s -o /dev/null -w '%{http_code}\\n' web:PORT/missing; curl -sf web:PORT/missing; echo $?", "GET /page \n404\n22\n", "", 0},
		{"curl -s 127.0.0.1:1; echo $?; curl -sS nosuch", "7\n", "curl: (6) bad address 'nosuch'\n", 6},
		{"curl -s --resolve Shop.example:PORT:127.0.0.1 http://shop.example:PORT/page; curl -s --resolve '*:PORT:127.0.0.1,10.0.0.1' any.example:PORT/; curl -s --resolve shop.example:1:127.0.0.1 shop.example:PORT; echo $?; curl --resolve shop.example:PORT:web web:PORT; echo $?",
			"GET /page \nGET / \n6\n49\n", "curl: (49) Couldn't parse CURLOPT_RESOLVE entry 'shop.example:PORT:web' (host:number:address)\n", 0},
		{"nc -z web PORT && echo open; nc -z -w 1 127.0.0.1 1 || echo closed", "open\nclosed\n", "", 0},
		{"printf 'GET /nc HTTP/1.0\\r\\n\\r\\n' | nc web PORT | tail -1", "GET /nc \n", "", 0},
		{"nc -l -p 18099 & sleep 0.3; echo sent | nc 127.0.0.1 18099; wait", "sent\n", "", 0},
		{"ip addr | grep inet; hostname -i; ip -br a | tail -1", "    inet 127.0.0.1/8 scope host lo\n    inet 10.244.1.5/32 scope global eth0\n10.244.1.5\neth0             UP             10.244.1.5/32\n", "", 0},
	} {
		t.Run(c.script, func(t *testing.T) {
			p, out, errOut := container(t, "sh", "-c", strings.ReplaceAll(c.script, "PORT", port))
			p.Net = loopback{}
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			code := shell.Sh(ctx, p)
			stderr := strings.ReplaceAll(c.stderr, "PORT", port)
			if out.String() != c.stdout || errOut.String() != stderr || code != c.code {
				t.Errorf("prints %q, %q and exits with %d,\nwant   %q, %q and %d", out.String(), errOut.String(), code, c.stdout, stderr, c.code)
			}
		})
	}
}
