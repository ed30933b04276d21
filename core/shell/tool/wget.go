package tool

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/pflag"
)

func init() {
	tools["wget"] = wget
	tools["curl"] = curl
}

// wgetTimeout is busybox' for a connection that nothing comes from.
const wgetTimeout = 900 * time.Second

// fetch is one HTTP request of wget or curl.
type fetch struct {
	url      string
	method   string
	header   http.Header
	body     string
	timeout  time.Duration
	insecure bool
	follow   bool
	dialled  func(host, address string) // told before connecting
	resolved resolved
}

// Outside is a network that may send whole requests to where its connections do not reach: what a page
// is allowed to fetch. inside takes all others.
type Outside interface {
	Leave(inside http.RoundTripper) http.RoundTripper
}

// Explained is an error of a network that has a sentence for people beside its cause: why nothing leads there from
// where they are, and what does.
type Explained interface {
	error
	Explain() string
}

// explain prints that sentence, if err has one.
func (t *T) explain(err error) {
	var explained Explained
	if errors.As(err, &explained) {
		fmt.Fprintln(t.stderr(), explained.Explain())
	}
}

// errBadAddress is a name that cannot be resolved.
type errBadAddress string

func (e errBadAddress) Error() string { return "bad address '" + string(e) + "'" }

// do sends the request over the pod's network; no proxy, no keep-alive.
func (f fetch) do(t *T) (*http.Response, context.CancelFunc, error) {
	if !strings.Contains(f.url, "://") {
		f.url = "http://" + f.url
	}
	ctx, cancel := context.WithTimeout(t.ctx, f.timeout)
	req, err := http.NewRequestWithContext(ctx, f.method, f.url, strings.NewReader(f.body))
	if err != nil {
		cancel()
		return nil, nil, err
	}
	req.Header = f.header
	if host := f.header.Get("Host"); host != "" {
		req.Host = host
	}
	var transport http.RoundTripper = &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			return f.resolved.dial(ctx, t, network, address, f.dialled)
		},
		TLSClientConfig:    &tls.Config{InsecureSkipVerify: f.insecure}, // as busybox' wget, which says so
		DisableKeepAlives:  true,
		DisableCompression: true,
	}
	if out, ok := t.Net.(Outside); ok {
		transport = leaving{f.resolved, transport, out.Leave(transport)}
	}
	client := &http.Client{Transport: transport}
	if !f.follow {
		client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	resp, err := client.Do(req)
	if err != nil {
		cancel()
		return nil, nil, err
	}
	return resp, cancel, nil
}

// dial connects by the pod's network, resolving names as the pod does.
func (t *T) dial(ctx context.Context, network, address string, told func(host, address string)) (net.Conn, error) {
	if t.Net == nil {
		return nil, syscall.ENETUNREACH
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	ip := host
	if net.ParseIP(host) == nil {
		addrs, err := t.Net.LookupHost(ctx, host)
		if err != nil || len(addrs) == 0 {
			return nil, errors.Join(errBadAddress(host), err)
		}
		ip = addrs[0]
	}
	if told != nil {
		told(host, net.JoinHostPort(ip, port))
	}
	conn, err := t.Net.Dial(ctx, network, net.JoinHostPort(ip, port))
	if err != nil {
		return nil, fmt.Errorf("can't connect to remote host (%s): %w", ip, err)
	}
	return conn, nil
}

// netReason tells a network error in few words.
func netReason(err error) string {
	var bad errBadAddress
	var urlErr *url.Error
	switch {
	case errors.As(err, &bad):
		return bad.Error()
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return "download timed out"
	case errors.Is(err, syscall.ECONNREFUSED) || strings.Contains(err.Error(), "connection refused"):
		ip := ""
		if _, after, ok := strings.Cut(err.Error(), "remote host ("); ok {
			ip, _, _ = strings.Cut(after, ")")
		}
		return "can't connect to remote host (" + ip + "): Connection refused"
	case errors.As(err, &urlErr):
		return urlErr.Err.Error()
	}
	return err.Error()
}

func wget(t *T) int {
	var quiet, show, spider, resume, insecure bool
	var output, dir, timeout, agent, post string
	var headers []string
	args, code, ok := t.flags("[-cqS] [--spider] [-O FILE] [-P DIR] [-T SEC] [-U AGENT] [--header STR] [--post-data STR] URL...", func(f *pflag.FlagSet) {
		f.BoolVarP(&quiet, "quiet", "q", false, "")
		f.BoolVarP(&show, "server-response", "S", false, "")
		f.BoolVar(&spider, "spider", false, "")
		f.BoolVarP(&resume, "continue", "c", false, "")
		f.BoolVar(&insecure, "no-check-certificate", false, "")
		f.StringVarP(&output, "output-document", "O", "", "")
		f.StringVarP(&dir, "directory-prefix", "P", "", "")
		f.StringVarP(&timeout, "timeout", "T", "", "")
		f.StringVarP(&agent, "user-agent", "U", "Wget", "")
		f.StringVar(&post, "post-data", "", "")
		f.StringArrayVar(&headers, "header", nil, "")
		f.StringP("tries", "t", "", "")
		f.StringP("proxy", "Y", "", "")
		f.Bool("no-verbose", false, "")
	})
	if !ok {
		return code
	}
	if len(args) == 0 {
		return t.usage("[-cqS] [--spider] [-O FILE] [-T SEC] [--header STR] [--post-data STR] URL...")
	}
	say := func(format string, a ...any) {
		if !quiet {
			fmt.Fprintf(t.stderr(), format+"\n", a...)
		}
	}
	for _, target := range args {
		f := fetch{url: target, method: http.MethodGet, header: http.Header{"User-Agent": {agent}},
			timeout: wgetTimeout, insecure: true, follow: true, body: post}
		f.dialled = func(host, address string) { say("Connecting to %s (%s)", host, address) }
		if d, err := duration(timeout); err == nil && timeout != "" {
			f.timeout = d
		}
		if post != "" {
			f.method = http.MethodPost
			f.header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		for _, header := range headers {
			name, value, _ := strings.Cut(header, ":")
			f.header.Set(strings.TrimSpace(name), strings.TrimSpace(value))
		}
		resp, cancel, err := f.do(t)
		if err != nil {
			if t.ctx.Err() == nil {
				t.fail("%s", netReason(err))
				t.explain(err)
			}
			continue
		}
		if show {
			printHead(t.stderr(), resp, "  ")
		}
		switch {
		case resp.StatusCode >= 300:
			t.fail("server returned error: %s %s", resp.Proto, resp.Status)
		case spider:
			say("remote file exists")
		default:
			t.save(resp, outputName(output, dir, resp.Request.URL), say)
		}
		_ = resp.Body.Close()
		cancel()
	}
	return 0
}

func printHead(w io.Writer, resp *http.Response, indent string) {
	fmt.Fprintf(w, "%s%s %s\n", indent, resp.Proto, resp.Status)
	var head strings.Builder
	_ = resp.Header.Write(&head)
	for line := range strings.SplitSeq(strings.TrimSpace(head.String()), "\r\n") {
		fmt.Fprintf(w, "%s%s\n", indent, line)
	}
}

func outputName(output, dir string, from *url.URL) string {
	if output != "" {
		return output
	}
	name := path.Base(from.Path)
	if name == "." || name == "/" || strings.HasSuffix(from.Path, "/") {
		name = "index.html"
	}
	if dir != "" {
		name = strings.TrimSuffix(dir, "/") + "/" + name
	}
	return name
}

// save writes the body where it belongs.
func (t *T) save(resp *http.Response, name string, say func(string, ...any)) {
	var w io.Writer = t.out
	if name == "-" {
		say("writing to stdout")
	} else {
		f, err := t.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
		if t.failed("can't open '"+name+"'", err) {
			return
		}
		defer f.Close()
		w = f
		say("saving to '%s'", name)
	}
	n, err := copyTo(w, paced{t, resp.Body})
	if err != nil && t.ctx.Err() == nil {
		t.fail("%s", netReason(err))
		return
	}
	_ = t.out.Flush()
	label := name
	if len(label) > 20 {
		label = label[:20]
	}
	say("%-20s 100%% |%s| %5d  0:00:00 ETA", label, strings.Repeat("*", 32), n)
	if name == "-" {
		say("written to stdout")
	} else {
		say("'%s' saved", name)
	}
}
