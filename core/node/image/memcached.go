package image

import (
	"context"
	"strings"

	"github.com/tabernetes/tabernetes/core/node/image/memcached"
	"github.com/tabernetes/tabernetes/core/program"
)

// memcachedImage is a cache that forgets.
func memcachedImage(tools map[string]program.Program) Image {
	return userland(Image{
		Names: []string{"memcached"},
		Tags: Tags{
			Words: []string{"latest"}, Releases: []Release{{1, 6}},
			Variants: []string{"alpine", "buster", "bullseye", "bookworm", "trixie"},
		},
		Entrypoint:   []string{"/usr/local/bin/docker-entrypoint.sh"},
		Cmd:          []string{"memcached"},
		Env:          []string{defaultPath, "MEMCACHED_VERSION=" + memcached.Version},
		ExposedPorts: []string{"11211/tcp"},
		Files:        base(debianRelease),
		Programs: map[string]program.Program{
			"/usr/local/bin/docker-entrypoint.sh": memcachedEntry, "/usr/local/bin/memcached": memcached.Main,
		},
	}, "/bin/busybox", withBash(tools))
}

// memcachedEntry is entrypoint for memcached's options, too.
func memcachedEntry(ctx context.Context, p *program.Process) int {
	if len(p.Args) > 1 && strings.HasPrefix(p.Args[1], "-") {
		p = p.Child(append([]string{p.Args[0], "memcached"}, p.Args[1:]...)...)
	}
	return entrypoint(ctx, p)
}
