package nginx

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/program"
)

// Main is the program nginx. SIGQUIT ends it once the open requests are served, SIGTERM and
// SIGINT end it at once; both with code 0.
func Main(ctx context.Context, p *program.Process) int {
	version := p.Getenv("NGINX_VERSION")
	for _, a := range p.Args[1:] {
		switch a {
		case "-v", "-V":
			fmt.Fprintf(p.Stderr, "nginx version: nginx/%s (the tab's stand-in)\n", version)
			return 0
		case "-t":
			fmt.Fprintf(p.Stderr, "nginx: configuration file /etc/nginx/nginx.conf test is successful\n")
			return 0
		}
	}
	notice := func(format string, args ...any) {
		fmt.Fprintf(p.Stderr, "%s [notice] 1#1: %s\n", time.Now().UTC().Format("2006/01/02 15:04:05"), fmt.Sprintf(format, args...))
	}
	listener, err := p.Net.Listen(ctx, "tcp", ":80")
	if err != nil {
		fmt.Fprintf(p.Stderr, "nginx: [emerg] bind() to 0.0.0.0:80 failed: %v\n", err)
		return 1
	}
	notice("nginx/%s, the tab's stand-in on Go's net/http", version)
	server := &http.Server{
		Handler:  accessLog(p.Stdout, &site{fs: p.FS, root: "/usr/share/nginx/html", version: version}),
		ErrorLog: log.New(p.Stderr, "", 0),
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	notice("start worker processes")
	for {
		select {
		case err := <-served:
			if err != nil && !errors.Is(err, http.ErrServerClosed) {
				fmt.Fprintf(p.Stderr, "nginx: [emerg] %v\n", err)
				return 1
			}
			return 0
		case <-ctx.Done():
			server.Close()
			return 128 + int(program.SIGKILL)
		case s := <-p.Signals:
			switch s {
			case program.SIGQUIT:
				notice("signal 3 (SIGQUIT) received, shutting down")
				notice("gracefully shutting down")
				go func() { _ = server.Shutdown(ctx) }()
			case program.SIGTERM, program.SIGINT:
				notice("signal %d (SIG%s) received, exiting", s, s.Name())
				server.Close()
			}
		}
	}
}

// Files are the image's own files by path.
func Files() map[string]string {
	return map[string]string{
		"/usr/share/nginx/html/index.html": welcome,
		"/usr/share/nginx/html/50x.html":   strings.ReplaceAll(errorPage, "$", "An error occurred."),
	}
}

const welcome = `<!DOCTYPE html>
<html>
<head>
<title>Welcome to nginx!</title>
<style>
html { color-scheme: light dark; }
body { width: 35em; margin: 0 auto; font-family: Tahoma, Verdana, Arial, sans-serif; }
</style>
</head>
<body>
<h1>Welcome to nginx!</h1>
<p>This page comes from a container in your browser tab: the web server works.
To serve your own, mount files over <code>/usr/share/nginx/html</code>.</p>
</body>
</html>
`

const errorPage = `<!DOCTYPE html>
<html>
<head><title>Error</title></head>
<body>
<h1>$</h1>
</body>
</html>
`
