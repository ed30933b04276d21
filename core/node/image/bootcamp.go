package image

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tabernetes/tabernetes/core/program"
)

// bootcamp is the image of kubernetes.io's "Learn Kubernetes Basics", whose versions answer with their own
// number: v1 and v2, and no other, so that the lesson's v10 fails to pull.
func bootcamp(tools map[string]program.Program) Image {
	files := base(debianRelease)
	files["/server.js"] = Text(bootcampSource)
	return userland(Image{
		Names: []string{
			"gcr.io/google-samples/kubernetes-bootcamp", "docker.io/jocatt/kubernetes-bootcamp", "jocatt/kubernetes-bootcamp",
			"docker.io/jocatem/kubernetes-bootcamp", "docker.io/heroku/kubernetes-bootcamp",
		},
		Tags: Tags{Words: []string{"v1", "v2", "latest"}},
		ForTag: func(tag string, img *Image) {
			img.Env = append([]string{bootcampVersion + "=" + versionOf(tag)}, img.Env...)
		},
		Cmd:          []string{"/bin/sh", "-c", "node server.js"},
		Env:          []string{defaultPath, "NPM_CONFIG_LOGLEVEL=info", "NODE_VERSION=6.3.1"},
		ExposedPorts: []string{"8080/tcp"},
		Files:        files,
		Programs:     map[string]program.Program{"/usr/local/bin/node": bootcampMain},
	}, "/bin/busybox", withBash(tools))
}

// bootcampVersion is the variable by which the program knows which of the image's versions it is.
const bootcampVersion = "BOOTCAMP_VERSION"

// versionOf is a tag's number; that of latest is 1, as the image's first.
func versionOf(tag string) string {
	if v, ok := strings.CutPrefix(tag, "v"); ok {
		return v
	}
	return "1"
}

// bootcampSource is what the tutorial has one look at. It says what the program does; what runs is Go.
const bootcampSource = `// What this container's server does, in the language that the image is named for.
// In a tab it runs as Go: there is no JavaScript inside of containers.
const server = require("http").createServer(answer);
const host = process.env.HOSTNAME;
let requests = 0;

function answer(request, response) {
  requests += 1;
  response.setHeader("Content-Type", "text/plain");
  response.end(` + "`Hello Kubernetes bootcamp! | Running on: ${host} | v=${version}\\n`" + `);
  console.log("Running On:", host, "| Total Requests:", requests);
}

server.listen(8080);
`

func bootcampMain(ctx context.Context, p *program.Process) int {
	if len(p.Args) != 2 || p.Args[1] != "server.js" && p.Args[1] != "/server.js" {
		fmt.Fprintln(p.Stderr, "node: in a tab this image runs server.js only; there is no JavaScript inside of containers")
		return 1
	}
	ctx, stop := UntilTold(ctx, p)
	defer stop()
	begun := time.Now()
	var requests atomic.Int64
	fmt.Fprintf(p.Stdout, "Kubernetes Bootcamp App Started At: %s | Running On:  %s \n\n", begun.UTC().Format(time.RFC3339Nano), p.Hostname)
	return serveHTTP(ctx, p, 8080, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		fmt.Fprintf(w, "Hello Kubernetes bootcamp! | Running on: %s | v=%s\n", p.Hostname, p.Getenv(bootcampVersion))
		fmt.Fprintf(p.Stdout, "Running On: %s | Total Requests: %d | App Uptime: %.3f seconds | Log Time: %s\n",
			p.Hostname, requests.Add(1), time.Since(begun).Seconds(), time.Now().UTC().Format(time.RFC3339))
	}))
}
