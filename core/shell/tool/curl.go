package tool

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// curl has the options of curl that are used against services. Exit codes are curl's own: 6
// for a name, 7 for a connection, 22 for -f, 28 for a timeout.
func curl(t *T) int {
	var silent, showError, include, head, fail, follow, insecure, remoteName, verbose bool
	var output, method, agent, format, source string
	var limit, connectLimit float64
	var headers, data, jsonData, resolve []string
	args, code, ok := t.flags("[-sSiIfLkv] [-o FILE] [-X METHOD] [-H HEADER] [-d DATA] [-m SEC] [-w FMT] [--resolve HOST:PORT:ADDRESS] URL...", func(f *pflag.FlagSet) {
		f.BoolVarP(&silent, "silent", "s", false, "")
		f.BoolVarP(&showError, "show-error", "S", false, "")
		f.BoolVarP(&include, "include", "i", false, "")
		f.BoolVarP(&head, "head", "I", false, "")
		f.BoolVarP(&fail, "fail", "f", false, "")
		f.BoolVarP(&follow, "location", "L", false, "")
		f.BoolVarP(&insecure, "insecure", "k", false, "")
		f.BoolVarP(&remoteName, "remote-name", "O", false, "")
		f.BoolVarP(&verbose, "verbose", "v", false, "")
		f.StringVarP(&output, "output", "o", "-", "")
		f.StringVarP(&method, "request", "X", "", "")
		f.StringVarP(&agent, "user-agent", "A", "curl/8.0", "")
		f.StringVarP(&format, "write-out", "w", "", "")
		f.Float64VarP(&limit, "max-time", "m", 0, "")
		f.Float64Var(&connectLimit, "connect-timeout", 0, "")
		f.StringArrayVarP(&headers, "header", "H", nil, "")
		f.StringArrayVarP(&data, "data", "d", nil, "")
		f.StringArrayVar(&data, "data-raw", nil, "")
		f.StringArrayVar(&jsonData, "json", nil, "")
		f.StringArrayVar(&resolve, "resolve", nil, "")
		f.BoolP("no-buffer", "N", false, "")
		f.BoolP("ipv4", "4", false, "")
		f.BoolP("disable", "q", false, "") // there is no ~/.curlrc
		f.BoolP("globoff", "g", false, "") // brackets and braces are never taken for patterns
		f.StringVar(&source, "interface", "", "")
		f.Bool("http1.1", false, "")
		f.String("retry", "", "")
	})
	if !ok {
		return 2 * code
	}
	if len(args) == 0 {
		_, _ = io.WriteString(t.stderr(), "curl: no URL specified\n")
		return 2
	}
	if source != "" && !t.owns(source) {
		fmt.Fprintf(t.stderr(), "curl: (45) bind failed with errno 99: Address not available: %s\n", source)
		return 45
	}
	known, err := parseResolve(resolve)
	if err != nil {
		fmt.Fprintf(t.stderr(), "curl: (49) %v\n", err)
		return 49
	}
	for _, target := range args {
		f := fetch{resolved: known, url: target, method: method, header: http.Header{"User-Agent": {agent}, "Accept": {"*/*"}},
			timeout: wgetTimeout, insecure: insecure, follow: follow, body: strings.Join(append(data, jsonData...), "&")}
		if limit > 0 || connectLimit > 0 {
			f.timeout = time.Duration(max(limit, connectLimit) * float64(time.Second))
		}
		switch {
		case len(jsonData) > 0:
			f.header.Set("Content-Type", "application/json")
		case len(data) > 0:
			f.header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		if f.method == "" {
			f.method = http.MethodGet
			if head {
				f.method = http.MethodHead
			} else if f.body != "" {
				f.method = http.MethodPost
			}
		}
		for _, header := range headers {
			name, value, _ := strings.Cut(header, ":")
			f.header.Set(strings.TrimSpace(name), strings.TrimSpace(value))
		}
		if verbose {
			f.dialled = func(host, address string) {
				fmt.Fprintf(t.stderr(), "* Connected to %s (%s)\n> %s %s HTTP/1.1\n", host, address, f.method, f.url)
			}
		}
		start := time.Now()
		resp, cancel, err := f.do(t)
		if err != nil {
			text := netReason(err)
			if !silent || showError {
				fmt.Fprintf(t.stderr(), "curl: (%d) %s\n", curlCode(text), text)
				t.explain(err)
			}
			t.code = curlCode(text)
			continue
		}
		if verbose {
			printHead(t.stderr(), resp, "< ")
		}
		if fail && resp.StatusCode >= 400 {
			if !silent || showError {
				fmt.Fprintf(t.stderr(), "curl: (22) The requested URL returned error: %d\n", resp.StatusCode)
			}
			t.code = 22
		} else {
			t.curlBody(resp, include || head, outputFor(output, remoteName, resp.Request.URL))
		}
		_ = resp.Body.Close()
		cancel()
		t.print(strings.NewReplacer(`\n`, "\n", `\t`, "\t", "%{http_code}", fmt.Sprint(resp.StatusCode),
			"%{response_code}", fmt.Sprint(resp.StatusCode), "%{time_total}", fmt.Sprintf("%.6f", time.Since(start).Seconds()),
			"%{url_effective}", resp.Request.URL.String(), "%{content_type}", resp.Header.Get("Content-Type"),
			"%{redirect_url}", resp.Header.Get("Location")).Replace(format))
	}
	return 0
}

// owns says whether an address or interface is the pod's: all it has to send from.
func (t *T) owns(source string) bool {
	return source == "eth0" || source == "lo" || slices.ContainsFunc(t.addresses(), func(ip net.IP) bool { return ip.String() == source })
}

func outputFor(output string, remoteName bool, from *url.URL) string {
	if remoteName {
		return outputName("", "", from)
	}
	return output
}

func curlCode(text string) int {
	switch {
	case strings.HasPrefix(text, "bad address"):
		return 6
	case strings.Contains(text, "connect"):
		return 7
	case strings.Contains(text, "timed out"):
		return 28
	case strings.Contains(text, "certificate") || strings.Contains(text, "tls"):
		return 60
	}
	return 1
}

func (t *T) curlBody(resp *http.Response, head bool, name string) {
	var w io.Writer = t.out
	if name != "-" {
		f, err := t.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
		if t.failed(name, err) {
			t.code = 23
			return
		}
		defer f.Close()
		w = f
	}
	if head {
		printHead(w, resp, "")
		_, _ = io.WriteString(w, "\n")
	}
	buf := make([]byte, 16<<10) // streamed: what comes is shown at once
	body := paced{t, resp.Body}
	for {
		n, err := body.Read(buf)
		_, _ = w.Write(buf[:n])
		_ = t.out.Flush()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			if t.ctx.Err() == nil {
				fmt.Fprintf(t.stderr(), "curl: (18) %s\n", netReason(err))
				t.code = 18
			}
			return
		}
	}
}
