package image

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/program"
)

// maxEchoed is how much of a request's body is said again, in bytes.
const maxEchoed = 1 << 20

// echoServer answers with what it was asked, in sections (registry.k8s.io/echoserver, which is nginx with
// a script).
func echoServer() Image {
	return Image{
		Names: []string{
			"registry.k8s.io/echoserver", "k8s.gcr.io/echoserver", "gcr.io/google_containers/echoserver",
			"gcr.io/kubernetes-e2e-test-images/echoserver",
		},
		Tags:         Tags{Words: []string{"latest", "1.0", "1.1", "1.2", "1.3", "1.4", "1.5", "1.6", "1.7", "1.8", "1.9", "1.10", "2.2", "2.3"}},
		Cmd:          []string{"/echoserver"},
		Env:          []string{defaultPath},
		ExposedPorts: []string{"8080/tcp"},
		Programs:     map[string]program.Program{"/echoserver": echoing(8080, echoSections)},
	}
}

// plainEcho answers with the request as it came, below who served it (kicbase/echo-server).
func plainEcho() Image {
	return Image{
		Names:        []string{"kicbase/echo-server", "jmalloc/echo-server"},
		Tags:         Tags{Words: []string{"latest"}, Releases: []Release{{0, 9}, {1, 9}}},
		Cmd:          []string{"/bin/echo-server"},
		Env:          []string{defaultPath},
		ExposedPorts: []string{"8080/tcp"},
		Programs:     map[string]program.Program{"/bin/echo-server": echoing(8080, echoRequest)},
	}
}

// whoami tells where a request arrived (traefik/whoami).
func whoami() Image {
	return Image{
		Names:        []string{"traefik/whoami", "containous/whoami"},
		Tags:         Tags{Words: []string{"latest"}, Releases: []Release{{1, 19}}},
		Entrypoint:   []string{"/whoami"},
		Env:          []string{defaultPath},
		ExposedPorts: []string{"80/tcp"},
		Programs:     map[string]program.Program{"/whoami": echoing(80, echoWhoami)},
	}
}

// httpEcho answers every request with the text that it was started with (hashicorp/http-echo).
func httpEcho() Image {
	return Image{
		Names:        []string{"hashicorp/http-echo"},
		Tags:         Tags{Words: []string{"latest"}, Releases: []Release{{0, 2}, {1, 9}}, Variants: []string{"alpine"}},
		Entrypoint:   []string{"/http-echo"},
		Env:          []string{defaultPath},
		ExposedPorts: []string{"5678/tcp"},
		Programs:     map[string]program.Program{"/http-echo": httpEchoMain},
	}
}

// echoing is a server on a port, which $PORT may change, and which gives an answer to each request.
func echoing(port int, answer func(p *program.Process, w io.Writer, r *http.Request)) program.Program {
	return func(ctx context.Context, p *program.Process) int {
		port, err := portOf(p, port)
		if err != nil {
			fmt.Fprintf(p.Stderr, "%s: %v\n", p.Args[0], err)
			return 1
		}
		for i, arg := range p.Args {
			if name, value, ok := strings.Cut(strings.TrimLeft(arg, "-"), "="); name == "port" && strings.HasPrefix(arg, "-") {
				if !ok && i+1 < len(p.Args) {
					value = p.Args[i+1]
				}
				if _, err := fmt.Sscanf(value, "%d", &port); err != nil || port < 1 || port > 65535 {
					fmt.Fprintf(p.Stderr, "%s: --port is %q, which is no port\n", p.Args[0], value)
					return 1
				}
			}
		}
		ctx, stop := UntilTold(ctx, p)
		defer stop()
		return serveHTTP(ctx, p, port, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.Body = http.MaxBytesReader(w, r.Body, maxEchoed)
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			answer(p, w, r)
		}))
	}
}

func echoSections(p *program.Process, w io.Writer, r *http.Request) {
	info := "\t-no pod information available-\n"
	if p.Getenv("POD_NAME") != "" {
		info = fmt.Sprintf("\tnode name:\t%s\n\tpod name:\t%s\n\tpod namespace:\t%s\n\tpod IP:\t%s\n",
			p.Getenv("NODE_NAME"), p.Getenv("POD_NAME"), p.Getenv("POD_NAMESPACE"), p.Getenv("POD_IP"))
	}
	fmt.Fprintf(w, "\n\nHostname: %s\n\nPod Information:\n%s\nServer values:\n\tserver_version=nginx: %s\n\n", p.Hostname, info, nginxVersion)
	client, _, _ := net.SplitHostPort(r.RemoteAddr)
	fmt.Fprintf(w, "Request Information:\n\tclient_address=%s\n\tmethod=%s\n\treal path=%s\n\tquery=%s\n\trequest_version=%d.%d\n\trequest_scheme=http\n\trequest_uri=http://%s%s\n\n",
		client, r.Method, r.URL.RequestURI(), r.URL.RawQuery, r.ProtoMajor, r.ProtoMinor, r.Host, r.URL.RequestURI())
	fmt.Fprint(w, "Request Headers:\n")
	headers := map[string]string{"host": r.Host}
	for name, values := range r.Header {
		headers[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		fmt.Fprintf(w, "\t%s=%s\n", name, headers[name])
	}
	fmt.Fprint(w, "\nRequest Body:\n")
	if n, err := io.Copy(w, r.Body); n == 0 {
		fmt.Fprint(w, "\t-no body in request-")
	} else if err != nil {
		fmt.Fprintf(w, "\n\t-the rest is left out: %v-", err)
	}
	fmt.Fprint(w, "\n\n")
}

func echoRequest(p *program.Process, w io.Writer, r *http.Request) {
	fmt.Fprintf(w, "Request served by %s\n\n%s %s %s\n\nHost: %s\n", p.Hostname, r.Method, r.URL.RequestURI(), r.Proto, r.Host)
	_ = r.Header.Write(w) // to who has asked: he may have gone
	fmt.Fprintln(w)
	_, _ = io.Copy(w, r.Body)
}

func echoWhoami(p *program.Process, w io.Writer, r *http.Request) {
	if name := p.Getenv("WHOAMI_NAME"); name != "" {
		fmt.Fprintf(w, "Name: %s\n", name)
	}
	fmt.Fprintf(w, "Hostname: %s\n", p.Hostname)
	if addr, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		if host, _, err := net.SplitHostPort(addr.String()); err == nil {
			fmt.Fprintf(w, "IP: %s\n", host)
		}
	}
	fmt.Fprintf(w, "RemoteAddr: %s\n%s %s %s\r\nHost: %s\r\n", r.RemoteAddr, r.Method, r.URL.RequestURI(), r.Proto, r.Host)
	_ = r.Header.Write(w) // to who has asked: he may have gone
	fmt.Fprint(w, "\r\n")
}

// httpEchoMain takes -text and -listen, and $ECHO_TEXT.
func httpEchoMain(ctx context.Context, p *program.Process) int {
	text, listen := p.Getenv("ECHO_TEXT"), ":5678"
	for args := p.Args[1:]; len(args) > 0; args = args[1:] {
		name, value, ok := strings.Cut(strings.TrimLeft(args[0], "-"), "=")
		if !ok && len(args) > 1 {
			value, args = args[1], args[1:]
		}
		switch name {
		case "text":
			text = value
		case "listen":
			listen = value
		}
	}
	if text == "" {
		fmt.Fprintln(p.Stderr, "Missing -text option!")
		return 127
	}
	var port int
	if _, number, err := net.SplitHostPort(listen); err != nil {
		fmt.Fprintf(p.Stderr, "http-echo: -listen is %q: %v\n", listen, err)
		return 1
	} else if _, err := fmt.Sscanf(number, "%d", &port); err != nil || port < 1 || port > 65535 {
		fmt.Fprintf(p.Stderr, "http-echo: -listen is %q, which names no port\n", listen)
		return 1
	}
	ctx, stop := UntilTold(ctx, p)
	defer stop()
	fmt.Fprintf(p.Stderr, "[INFO] server is listening on %s\n", listen)
	return serveHTTP(ctx, p, port, logged(p.Stdout, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-App-Name", "http-echo")
		if r.URL.Path == "/health" {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintln(w, `{"status":"ok"}`)
			return
		}
		fmt.Fprintln(w, text)
	})))
}
