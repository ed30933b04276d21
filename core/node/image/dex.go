package image

import (
	"maps"
	"strings"

	"github.com/tabernetes/tabernetes/core/node/image/dex"
	"github.com/tabernetes/tabernetes/core/program"
)

// dexImage is the OpenID Connect provider that people who log in to a cluster are sent to.
func dexImage(tools map[string]program.Program) Image {
	files := base("NAME=\"Alpine Linux\"\nID=alpine\nPRETTY_NAME=\"Alpine Linux (the tab's own tools)\"\n")
	files["/etc/passwd"] = Text(passwd + "dex:x:1001:1001::/home/dex:/sbin/nologin\n")
	files["/etc/group"] = Text(group + "dex:x:1001:\n")
	files["/etc/dex/config.docker.yaml"] = Text(dex.Example)
	return userland(Image{
		Names: []string{"dexidp/dex", "ghcr.io/dexidp/dex", "quay.io/dexidp/dex"},
		Tags:  Tags{Words: []string{"latest", "master"}, Releases: []Release{{2, 59}}, Variants: []string{"alpine", "distroless"}},
		ForTag: func(tag string, img *Image) {
			if version := fullVersion.FindString(strings.TrimPrefix(tag, "v")); version != "" {
				img.Files = maps.Clone(img.Files)
				img.Files[dex.VersionFile] = Text("v" + version + "\n")
			}
		},
		Entrypoint: []string{"/usr/local/bin/docker-entrypoint"},
		Cmd:        []string{"dex", "serve", "/etc/dex/config.docker.yaml"},
		Env:        []string{defaultPath},
		User:       "dex:dex",
		Files:      files,
		Programs:   map[string]program.Program{"/usr/local/bin/docker-entrypoint": entrypoint, "/usr/local/bin/dex": dex.Main},
	}, "/bin/busybox", tools)
}
