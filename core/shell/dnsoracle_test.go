package shell_test

import (
	"context"
	"net"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/shell"
)

// What differs from one question to the next, and what only a program with a version of its own says.
var (
	askedAnew = regexp.MustCompile(`(?m)^(; <<>>|; \(1 server found\)|;; (global options|Got answer|Query time|SERVER|WHEN|MSG SIZE)|$).*\n|id: \d+`)
	ofEDNS    = regexp.MustCompile(`(?m)^;; OPT PSEUDOSECTION:\n; EDNS.*\n`)
)

// TestDigIsDebians: dig prints what bind9-dnsutils' prints of the same server's answers, and nslookup what
// busybox' does.
func TestDigIsDebians(t *testing.T) {
	server := serveNames(t)
	host, port, err := net.SplitHostPort(server)
	if err != nil {
		t.Fatal(err)
	}
	dig := "dig @" + host + " -p " + port + " +noedns +nocookie "
	for _, args := range []string{
		"web.default.svc", "web.default.svc. A", "kubernetes.default.svc.cluster.example", "-x 10.96.0.5", "_http._tcp.web SRV", "nosuch",
		"+short web.default.svc", "+short -x 10.96.0.5", "+short _http._tcp.web SRV", "+short nosuch", "+short said TXT",
		"+noall +answer web.default.svc", "+noall +answer kubernetes.default.svc.cluster.example", "+noall +answer zone NS",
		"+noall +answer -t SOA soa", "+noall +answer said TXT", "+noall +answer alias.default.svc CNAME", "+noall +answer IN A web.default.svc",
		"+noall +answer nosuch", "+noall +answer mail MX", "+short evilptr PTR",
	} {
		compare(t, "/usr/bin/dig", dig+args, "dig @10.96.0.10 "+args, server)
	}
}

// TestNslookupIsBusyboxs needs the port that name servers have, on an address of this machine's own.
func TestNslookupIsBusyboxs(t *testing.T) {
	const address = "127.0.53.10"
	c, err := net.ListenPacket("udp", address+":53")
	if err != nil {
		t.Skipf("busybox asks at port 53 only: %v", err)
	}
	t.Cleanup(func() { c.Close() })
	answerNames(c)
	for _, args := range []string{
		"web.default.svc. ", "kubernetes.default.svc.cluster.example. ", "-type=srv _http._tcp.web. ", "10.96.0.5 ", "-type=txt plain. ", "-type=mx mail. ",
		"-type=cname alias.default.svc. ", "-type=ns zone. ",
	} {
		compare(t, "/bin/busybox", "busybox nslookup "+args+address, "nslookup "+args+address, address+":53")
	}
}

// compare runs a line with the machine's program and with ours.
func compare(t *testing.T, program, their, our, server string) {
	t.Helper()
	if _, err := os.Stat(program); err != nil {
		t.Skipf("%v (scripts/setup installs it)", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	theirs := exec.CommandContext(ctx, "/bin/sh", "-c", their)
	theirs.Dir, theirs.Env = t.TempDir(), []string{"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8"}
	said, _ := theirs.CombinedOutput() // dig's code is 0, and busybox' 1 for a name that is not there
	p, out, errOut := container(t, "sh", "-c", our)
	p.Net = named{server: server}
	shell.Sh(ctx, p)
	same := func(text string) string {
		return ofEDNS.ReplaceAllString(askedAnew.ReplaceAllString(strings.ReplaceAll(text, " ad;", ";"), ""), "")
	}
	if got, want := same(out.String()+errOut.String()), same(string(said)); got != want {
		t.Errorf("%s\n%s\n%q, want\n%q", their, our, got, want)
	}
}
