package image

import (
	"context"
	"strings"

	"github.com/tabernetes/tabernetes/core/node/image/redis"
	"github.com/tabernetes/tabernetes/core/program"
)

// redisImage is the database of the guestbook and of many other lessons.
func redisImage(tools map[string]program.Program) Image {
	files := base(debianRelease)
	files["/data"] = Dir(0o777)
	return userland(Image{
		Names: []string{"redis", "bitnami/redis", "valkey/valkey"},
		Tags: Tags{
			Words:    []string{"latest", "e2e"},
			Releases: []Release{{2, 8}, {3, 2}, {4, 0}, {5, 0}, {6, 2}, {7, 4}, {8, 9}},
			Variants: []string{"alpine", "buster", "bullseye", "bookworm", "trixie"},
		},
		Entrypoint:   []string{"/usr/local/bin/docker-entrypoint.sh"},
		Cmd:          []string{"redis-server"},
		Env:          []string{defaultPath, "REDIS_VERSION=" + redis.Version},
		WorkingDir:   "/data",
		ExposedPorts: []string{"6379/tcp"},
		Files:        files,
		Programs: map[string]program.Program{
			"/usr/local/bin/docker-entrypoint.sh": redisEntry, "/usr/local/bin/redis-server": redis.Main,
		},
	}, "/bin/busybox", withBash(tools))
}

// redisEntry is entrypoint for what redis-server takes, too.
func redisEntry(ctx context.Context, p *program.Process) int {
	if len(p.Args) > 1 && (strings.HasPrefix(p.Args[1], "-") || strings.HasSuffix(p.Args[1], ".conf")) {
		p = p.Child(append([]string{p.Args[0], "redis-server"}, p.Args[1:]...)...)
	}
	return entrypoint(ctx, p)
}

// guestbookLeader and guestbookFollower are the database images of the guestbook tutorial; the second
// follows whoever has the leader's name.
func guestbookLeader(tools map[string]program.Program) Image {
	img := redisImage(tools)
	img.Names = []string{"registry.k8s.io/redis", "k8s.gcr.io/redis"}
	return img
}

func guestbookFollower(tools map[string]program.Program) Image {
	img := redisImage(tools)
	img.Names = []string{
		"us-docker.pkg.dev/google-samples/containers/gke/gb-redis-follower", "gcr.io/google_samples/gb-redis-follower",
		"gcr.io/google_samples/gb-redisslave", "gcr.io/google-samples/gb-redisslave",
	}
	img.Tags = Tags{Words: []string{"latest", "v1", "v2", "v3"}}
	img.Cmd = []string{"/run.sh"}
	img.Programs["/run.sh"] = followLeader
	return img
}

// followLeader starts a server that follows the one that the tutorial's Service names: by DNS, or by the
// environment if $GET_HOSTS_FROM says so.
func followLeader(ctx context.Context, p *program.Process) int {
	host := "redis-leader"
	if p.Getenv("GET_HOSTS_FROM") == "env" {
		for _, name := range []string{"REDIS_LEADER_SERVICE_HOST", "REDIS_MASTER_SERVICE_HOST"} {
			if value := p.Getenv(name); value != "" {
				host = value
			}
		}
	} else if _, err := p.Net.LookupHost(ctx, host); err != nil {
		if _, err := p.Net.LookupHost(ctx, "redis-master"); err == nil { // its name in the tutorial's older form
			host = "redis-master"
		}
	}
	return redis.Main(ctx, p.Child("redis-server", "--replicaof", host, "6379"))
}
