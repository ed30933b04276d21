package image

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/node/image/nginx"
	"github.com/tabernetes/tabernetes/core/program"
)

// nginxVersion is what a tag without a version stands for.
const nginxVersion = "1.29.4"

var fullVersion = regexp.MustCompile(`^\d+\.\d+\.\d+`)

func nginxImage(tools map[string]program.Program) Image {
	files := base(debianRelease)
	for name, text := range nginx.Files() {
		files[name] = Text(text)
	}
	files["/var/log/nginx/access.log"] = Link("/dev/stdout")
	files["/var/log/nginx/error.log"] = Link("/dev/stderr")
	files["/var/cache/nginx"] = Dir(0o755)
	files["/docker-entrypoint.d"] = Dir(0o755)
	return userland(Image{
		Names: []string{"nginx"},
		Tags: Tags{
			Words:    []string{"latest", "stable", "mainline"},
			Releases: []Release{{1, 39}},
			Variants: []string{"alpine", "slim", "perl", "otel", "stretch", "buster", "bullseye", "bookworm", "trixie"},
		},
		ForTag: func(tag string, img *Image) {
			version := nginxVersion
			if v := fullVersion.FindString(tag); v != "" {
				version = v
			}
			img.Env = []string{defaultPath, "NGINX_VERSION=" + version}
		},
		Entrypoint:   []string{"/docker-entrypoint.sh"},
		Cmd:          []string{"nginx", "-g", "daemon off;"},
		Env:          []string{defaultPath},
		ExposedPorts: []string{"80/tcp"},
		StopSignal:   program.SIGQUIT,
		Labels:       map[string]string{"maintainer": "Tabernetes"},
		Files:        files,
		Programs: map[string]program.Program{
			"/docker-entrypoint.sh": entrypoint,
			"/usr/sbin/nginx":       nginx.Main,
		},
	}, "/bin/busybox", withBash(tools))
}

// curlEntry is entrypoint for what curl takes, too.
func curlEntry(ctx context.Context, p *program.Process) int {
	if len(p.Args) > 1 && (strings.HasPrefix(p.Args[1], "-") || strings.Contains(p.Args[1], "://")) {
		p = p.Child(slices.Insert(slices.Clone(p.Args), 1, "curl")...)
	}
	return entrypoint(ctx, p)
}

// entrypoint runs its arguments in its own place, as the image's start script ends by doing.
func entrypoint(ctx context.Context, p *program.Process) int {
	if len(p.Args) < 2 {
		return 0
	}
	prog, ok := p.Lookup(p.Args[1])
	if !ok {
		fmt.Fprintf(p.Stderr, "%s: exec: %s: not found\n", p.Args[0], p.Args[1])
		return 127
	}
	return prog(ctx, p.Child(p.Args[1:]...))
}
