package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// recipe is how an image is made.
type recipe struct {
	name string
	tags []string
	// from are files of the machine; an archive that is newer than all of them is kept.
	from   []string
	fill   func(ctx context.Context, root *tree) error
	config v1.Config
	// byName: built only if it is asked for by its name.
	byName bool
}

var searchPath = []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}

// recipes are those of every image; those that only the conformance suite asks for are in suite.go.
var recipes = append(suiteRecipes, []recipe{
	flannel,
	{
		name: "pause",
		tags: []string{"registry.k8s.io/pause:" + pauseVersion, "registry.k8s.io/pause:3.10.2"},
		fill: func(ctx context.Context, root *tree) error {
			source, err := upstreamFile(ctx, "build/pause/linux/pause.c")
			if err != nil {
				return err
			}
			return root.compiled(ctx, "/pause", "gcc", "-Os", "-Wall", "-static", "-s", "-DVERSION="+pauseVersion, "-x", "c", source, "-o")
		},
		config: v1.Config{Entrypoint: []string{"/pause"}, User: "65535:65535"},
	},
	{
		name: "busybox",
		tags: []string{"docker.io/library/busybox:latest", "docker.io/library/busybox:1.35"},
		from: []string{busybox},
		fill: func(ctx context.Context, root *tree) error {
			return root.base(ctx)
		},
		config: v1.Config{Cmd: []string{"sh"}, Env: searchPath},
	},
	{
		name: "nginx",
		tags: []string{"docker.io/library/nginx:latest", "docker.io/library/nginx:1.22", e2e + "nginx:1.15-4", e2e + "nginx:1.27-0"},
		from: []string{nginx, busybox, curl},
		fill: func(ctx context.Context, root *tree) error {
			if err := root.base(ctx); err != nil {
				return err
			}
			root.text("/etc/nginx/nginx.conf", nginxConf)
			root.text("/usr/share/nginx/html/index.html", nginxPage)
			root.dirs("/var/lib/nginx", "/var/log/nginx", "/var/cache/nginx", "/run")
			if err := root.copy("/etc/nginx/mime.types", "/etc/nginx/mime.types"); err != nil {
				return err
			}
			// As Docker's image has it; busybox' own wget finds no names where it is linked statically.
			if err := root.program(ctx, curl, curl); err != nil {
				return err
			}
			return root.program(ctx, nginx, nginx)
		},
		config: v1.Config{
			Cmd: []string{"/usr/sbin/nginx", "-g", "daemon off;"}, Env: searchPath,
			ExposedPorts: map[string]struct{}{"80/tcp": {}}, StopSignal: "SIGQUIT",
		},
	},
}...)

const (
	pauseVersion = "3.10.1"
	busybox      = "/bin/busybox"
	nginx        = "/usr/sbin/nginx"
	xtables      = "/usr/sbin/xtables-nft-multi"
	curl         = "/usr/bin/curl"
	bash         = "/bin/bash"
	dig          = "/usr/bin/dig"
	getent       = "/usr/bin/getent"
	ss           = "/usr/bin/ss"
	netcat       = "/bin/nc.openbsd"
)

const nginxConf = `user nobody nogroup;
worker_processes 1;
pid /run/nginx.pid;
error_log /dev/stderr notice;
events { worker_connections 512; }
http {
  include mime.types;
  access_log /dev/stdout;
  server {
    listen 80;
    root /usr/share/nginx/html;
    location / { index index.html; }
  }
}
`

const nginxPage = "<!DOCTYPE html>\n<html><head><title>Welcome to nginx!</title></head>\n<body><h1>Welcome to nginx!</h1></body></html>\n"

// build writes the archive, unless it is newer than its sources.
func (r recipe) build(ctx context.Context, archive string) error {
	var lacks []error
	for _, f := range r.from {
		if _, err := os.Stat(f); err != nil {
			lacks = append(lacks, fmt.Errorf("%s is missing: apt-get install --no-install-recommends busybox-static nginx-light curl bind9-dnsutils netcat-openbsd iproute2", f))
		}
	}
	if err := errors.Join(lacks...); err != nil {
		return err
	}
	if r.upToDate(archive) {
		return nil
	}
	root := newTree()
	if err := r.fill(ctx, root); err != nil {
		return err
	}
	return write(archive, root, r)
}

func (r recipe) upToDate(archive string) bool {
	made := func(p string) time.Time {
		if st, err := os.Stat(p); err == nil {
			return st.ModTime()
		}
		return time.Time{}
	}
	_, self, _, _ := runtime.Caller(0) // the recipes themselves, when run from the source
	for _, f := range append([]string{self, filepath.Join(filepath.Dir(self), "suite.go")}, r.from...) {
		if !made(archive).After(made(f)) {
			return false
		}
	}
	return true
}

// upstreamFile is a file of the Kubernetes version in go.mod.
func upstreamFile(ctx context.Context, file string) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/kubernetes").Output()
	if err != nil {
		return "", fmt.Errorf("find Kubernetes' source: %w; run go mod download", err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), file), nil
}

// ownModule copies go.mod and go.sum to where a build may add to them, and returns the path of the
// first. They are kept, so that the next build finds everything.
func ownModule() (string, error) {
	dir := filepath.Join("out", "images")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		b, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, "programs."+name[3:]), b, 0o644)
		}
		if err != nil {
			return "", fmt.Errorf("copy %s: %w; run this in the repository's root", name, err)
		}
	}
	return filepath.Join(dir, "programs.mod"), nil
}
