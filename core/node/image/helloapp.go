package image

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"github.com/tabernetes/tabernetes/core/program"
)

// helloApp is the server with which Google's tutorials show what a new version looks like.
func helloApp() Image {
	return Image{
		Names: []string{"gcr.io/google-samples/hello-app", "us-docker.pkg.dev/google-samples/containers/gke/hello-app"},
		Tags:  Tags{Words: []string{"latest", "1.0", "2.0"}},
		ForTag: func(tag string, img *Image) {
			if tag == "latest" {
				tag = "1.0"
			}
			img.Cmd = []string{"/hello-app", tag + ".0"}
		},
		Cmd:          []string{"/hello-app"},
		Env:          []string{defaultPath},
		ExposedPorts: []string{"8080/tcp"},
		Programs:     map[string]program.Program{"/hello-app": helloAppMain},
	}
}

// helloAppMain takes its version as an argument, and its port of $PORT.
func helloAppMain(ctx context.Context, p *program.Process) int {
	version := "1.0.0"
	if len(p.Args) > 1 {
		version = p.Args[1]
	}
	port, err := portOf(p, 8080)
	if err != nil {
		fmt.Fprintf(p.Stderr, "hello-app: %v\n", err)
		return 1
	}
	ctx, stop := UntilTold(ctx, p)
	defer stop()
	fmt.Fprintf(p.Stderr, "Server listening on port %d\n", port)
	return serveHTTP(ctx, p, port, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(p.Stderr, "Serving request: %s\n", r.URL.EscapedPath())
		fmt.Fprintf(w, "Hello, world!\nVersion: %s\nHostname: %s\n", version, p.Hostname)
	}))
}

// portOf is the port that $PORT names, or otherwise.
func portOf(p *program.Process, otherwise int) (int, error) {
	text := p.Getenv("PORT")
	if text == "" {
		return otherwise, nil
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return 0, fmt.Errorf("$PORT is %q, which is no port", text)
	}
	return int(port), nil
}
