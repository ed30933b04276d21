package image

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/program/dnsclient"
)

// testRegistry is where Kubernetes' own tests find their images.
const testRegistry = "registry.k8s.io/e2e-test-images/"

// agnhostImage is the image of which Kubernetes' own tests make their pods. What its program does is
// described in upstream's test/images/agnhost/README.md; here are the commands that need no
// machine under them. commands are further ones by name, which get the command's name as
// argv[0]; any other idles and says so.
func agnhostImage(tools, commands map[string]program.Program) Image {
	files := base("NAME=\"Alpine Linux\"\nID=alpine\nPRETTY_NAME=\"Alpine Linux (the tab's own tools)\"\n")
	files["/localhost.crt"] = Text("this image has no certificate\n")
	files["/localhost.key"] = Text("this image has no key\n")
	main := func(ctx context.Context, p *program.Process) int {
		if len(p.Args) > 1 && commands[p.Args[1]] != nil {
			return commands[p.Args[1]](ctx, p.Child(p.Args[1:]...))
		}
		return agnhostMain(ctx, p)
	}
	return userland(Image{
		Names:      []string{testRegistry + "agnhost"},
		Tags:       Tags{Releases: []Release{{1, 0}, {2, 99}}},
		Entrypoint: []string{"/agnhost"},
		Cmd:        []string{"pause"},
		Env:        []string{defaultPath},
		Files:      files,
		Programs:   map[string]program.Program{"/agnhost": main, "/agnhost-2": main},
	}, "/bin/busybox", tools)
}

// updateDemo is one of the two images between which Kubernetes' own tests update: agnhost with a
// page that says which it is (upstream's test/images/nautilus and kitten).
func updateDemo(name string, tools map[string]program.Program) Image {
	img := agnhostImage(tools, nil)
	img.Names, img.Tags, img.Cmd = []string{testRegistry + name}, Tags{}, []string{"test-webserver"}
	img.Files["/data.json"] = Text("{\n  \"image\": \"" + name + ".jpg\"\n}\n")
	return img
}

// dnsTesting is the image by which Kubernetes' own tests ask name servers.
func dnsTesting(tools map[string]program.Program) Image {
	img := debian(tools)
	img.Names, img.Tags = []string{testRegistry + "glibc-dns-testing", testRegistry + "jessie-dnsutils"}, Tags{}
	return img
}

// nonewprivs is agnhost with a program that runs as root, whoever starts it: it tells whom it runs as
// (upstream's test/images/nonewprivs).
func nonewprivs(tools, commands map[string]program.Program) Image {
	img := agnhostImage(tools, commands)
	img.Names, img.Tags = []string{testRegistry + "nonewprivs"}, Tags{}
	img.Entrypoint, img.Cmd = []string{"/nnp"}, nil
	img.Programs["/nnp"] = effectiveUser
	img.Modes = map[string]fs.FileMode{"/nnp": 0o755 | fs.ModeSetuid}
	return img
}

func effectiveUser(_ context.Context, p *program.Process) int {
	fmt.Fprintf(p.Stdout, "Effective uid: %d\n", p.FS.Credentials().EUID)
	return 0
}

func agnhostMain(ctx context.Context, p *program.Process) int {
	if len(p.Args) < 2 || p.Args[1] == "pause" {
		return agnhostPause(ctx, p)
	}
	if p.Args[1] == "mounttest" {
		return agnhostMounttest(ctx, p)
	}
	if p.Args[1] == "guestbook" {
		return agnhostGuestbookMain(ctx, p)
	}
	flags := pflag.NewFlagSet(p.Args[1], pflag.ContinueOnError)
	flags.ParseErrorsAllowlist.UnknownFlags = true
	flags.SetOutput(p.Stderr)
	port := flags.Int("port", agnhostPorts[p.Args[1]], "")
	httpPort := flags.Int("http-port", 8080, "")
	udpPort := flags.Int("udp-port", 8081, "")
	certFile := flags.String("tls-cert-file", "", "")
	keyFile := flags.String("tls-private-key-file", "", "")
	override := flags.String("http-override", "", "")
	delay := flags.Int("delay-shutdown", 0, "")
	asJSON := flags.Bool("json-response", false, "")
	lines := flags.Int("log-lines-total", 100, "")
	lasts := flags.Duration("run-duration", time.Second, "")
	if err := flags.Parse(p.Args[2:]); err != nil {
		fmt.Fprintln(p.Stderr, err)
		return 1
	}
	given := ctx
	if p.Args[1] != "netexec" { // which listens to signals itself
		var cancel context.CancelFunc
		ctx, cancel = UntilTold(ctx, p)
		defer cancel()
	}
	switch p.Args[1] {
	case "test-webserver":
		return serveHTTP(ctx, p, *port, agnhostFiles(p))
	case "serve-hostname":
		return serveHTTP(ctx, p, *port, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, p.Hostname) }))
	case "netexec":
		return netexec{
			httpPort: *httpPort, udpPort: *udpPort, certFile: *certFile, keyFile: *keyFile,
			override: *override, delay: time.Duration(max(*delay, 0)) * time.Second,
		}.run(given, p)
	case "nettest":
		return serveHTTP(ctx, p, *port, agnhostNettest(p))
	case "porter":
		return porter(ctx, p, *asJSON)
	case "logs-generator":
		return agnhostLogs(ctx, p, *lines, *lasts)
	case "entrypoint-tester":
		fmt.Fprintln(p.Stdout, p.Args)
		return 0
	case "nonewprivs":
		return effectiveUser(ctx, p)
	case "dns-suffix", "dns-server-list":
		data, err := p.FS.ReadFile("/etc/resolv.conf")
		if err != nil {
			fmt.Fprintln(p.Stderr, err)
			return 1
		}
		c := dnsclient.ParseConfig(string(data))
		list := c.Servers
		if p.Args[1] == "dns-suffix" {
			list = c.Search
		}
		fmt.Fprintln(p.Stdout, strings.Join(list, ","))
		return 0
	case "etc-hosts":
		data, err := p.FS.ReadFile("/etc/hosts")
		if err != nil {
			fmt.Fprintln(p.Stderr, err)
			return 1
		}
		fmt.Fprintln(p.Stdout, string(data))
		return 0
	case "liveness":
		return serveHTTP(ctx, p, 8080, agnhostLiveness(time.Now()))
	}
	return Idle(ctx, p)
}

// agnhostPause waits for a signal and ends with a code and a last word that tell which.
func agnhostPause(ctx context.Context, p *program.Process) int {
	fmt.Fprintln(p.Stdout, "Paused\nSignals registered")
	p.Waits()
	for {
		select {
		case <-ctx.Done():
			return 128 + int(program.SIGKILL)
		case s := <-p.Signals:
			name, code := "terminated", 2 // as Go calls SIGTERM
			switch s {
			case program.SIGTERM:
			case program.SIGINT:
				name, code = "interrupt", 1
			default:
				continue
			}
			last := fmt.Sprintf("exiting because of signal %q\n", name)
			path := p.Getenv("TERMINATION_MESSAGE_PATH")
			if path == "" {
				path = "/dev/termination-log"
			}
			if f, err := p.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644); err == nil {
				_, _ = io.WriteString(f, last) // upstream's takes no failure for one either
				_ = f.Close()
			}
			fmt.Fprint(p.Stdout, last)
			return code
		}
	}
}

// agnhostPorts are the commands' own ports.
var agnhostPorts = map[string]int{"test-webserver": 80, "serve-hostname": 9376, "nettest": 8080}

// UntilTold is ctx until SIGTERM or SIGINT, by which Go's programs end.
func UntilTold(ctx context.Context, p *program.Process) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case s := <-p.Signals:
				if s == program.SIGTERM || s == program.SIGINT {
					cancel()
				}
			}
		}
	}()
	return ctx, cancel
}

// serveHTTP serves until ctx is done.
func serveHTTP(ctx context.Context, p *program.Process, port int, h http.Handler) int {
	return serveSecured(ctx, p, port, nil, h)
}

// serveSecured is serveHTTP by TLS, if there is a configuration.
func serveSecured(ctx context.Context, p *program.Process, port int, config *tls.Config, h http.Handler) int {
	ln, err := p.Net.Listen(ctx, "tcp", fmt.Sprintf(":%d", port))
	if err != nil {
		fmt.Fprintln(p.Stderr, err)
		return 1
	}
	if config != nil {
		ln = tls.NewListener(ln, config)
	}
	server := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer p.Cgroup.Busy()()
			h.ServeHTTP(w, r)
		}),
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
	}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	_ = server.Serve(ln)
	return 0
}

// agnhostFiles serves the container's file system.
func agnhostFiles(p *program.Process) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		info, err := p.FS.Stat(r.URL.Path)
		if err != nil {
			http.NotFound(w, r)
			return
		}
		if info.IsDir() {
			entries, err := p.FS.ReadDir(r.URL.Path)
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			for _, e := range entries {
				fmt.Fprintln(w, e.Name())
			}
			return
		}
		f, err := p.FS.Open(r.URL.Path)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		defer f.Close()
		_, _ = io.Copy(w, f)
	})
}

// agnhostNetexec answers what tests ask a pod for.
// end is called with an exitCode by whoever asks it to end.
func agnhostNetexec(p *program.Process, end context.CancelCauseFunc) *http.ServeMux {
	mux := http.NewServeMux()
	for _, path := range []string{"/hostname", "/hostName"} {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, p.Hostname) })
	}
	mux.HandleFunc("/echo", func(w http.ResponseWriter, r *http.Request) {
		if text := r.FormValue("code"); text != "" {
			code, err := strconv.Atoi(text)
			if err != nil || code < 200 || code > 599 {
				fmt.Fprintf(w, "argument 'code' must be an integer or empty, got %q\n", text)
				return
			}
			w.WriteHeader(code)
		}
		fmt.Fprint(w, r.FormValue("msg"))
	})
	netexecEnds(mux, p, end)
	mux.HandleFunc("/clientip", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.RemoteAddr) })
	mux.HandleFunc("/healthz", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/header", func(w http.ResponseWriter, r *http.Request) {
		if key := r.FormValue("key"); key != "" {
			fmt.Fprint(w, r.Header.Get(key))
			return
		}
		_ = json.NewEncoder(w).Encode(r.Header) // who does not read it has gone
	})
	mux.HandleFunc("/upload", netexecUpload(p))
	netexecAsks(mux, p)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, "NOW: %s", time.Now())
	})
	return mux
}

// logged writes a line for each request, as netexec does. A request's address has no line breaks.
func logged(to io.Writer, h http.Handler) http.Handler {
	lines := log.New(to, "", log.LstdFlags)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		lines.Printf("%s %s", r.Method, r.URL.RequestURI())
		h.ServeHTTP(w, r)
	})
}

// livenessFor is how long agnhost's liveness says that it is well.
const livenessFor = 10 * time.Second

// agnhostLiveness is well for some seconds, and then not.
func agnhostLiveness(started time.Time) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/started", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, time.Since(started)) })
	mux.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) {
		if up := time.Since(started); up > livenessFor {
			w.WriteHeader(http.StatusInternalServerError)
			fmt.Fprintf(w, "error: %v", up.Seconds())
			return
		}
		fmt.Fprint(w, "ok")
	})
	mux.HandleFunc("/redirect", func(w http.ResponseWriter, r *http.Request) {
		loc, err := url.QueryUnescape(r.URL.Query().Get("loc"))
		if err != nil {
			http.Error(w, fmt.Sprintf("invalid redirect: %q", r.URL.Query().Get("loc")), http.StatusBadRequest)
			return
		}
		http.Redirect(w, r, loc, http.StatusFound)
	})
	return mux
}

// agnhostLogs writes lines over a time, each with its number, a verb and a path.
func agnhostLogs(ctx context.Context, p *program.Process, lines int, lasts time.Duration) int {
	verbs := []string{"GET", "PUT", "POST"}
	for i := range lines {
		fmt.Fprintf(p.Stdout, "%s 1 logs_generator.go:76] %d %s /api/v1/namespaces/%s/pods/%s %d\n",
			time.Now().Format("I0102 15:04:05.000000"), i, verbs[i%len(verbs)],
			[]string{"kube-system", "default", "ns"}[i%3], strings.Repeat(string(rune('a'+i%26)), 4), 200+i%400)
		select {
		case <-ctx.Done():
			return 0
		case <-time.After(lasts / time.Duration(max(1, lines))):
		}
	}
	return 0
}
