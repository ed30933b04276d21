package image

import (
	"maps"
	"strings"

	"github.com/tabernetes/tabernetes/core/node/image/podinfo"
	"github.com/tabernetes/tabernetes/core/program"
)

// podinfoImage is the small service of tutorials about delivery: each version is a tag, and says so.
func podinfoImage(tools map[string]program.Program) Image {
	files := base("NAME=\"Alpine Linux\"\nID=alpine\nPRETTY_NAME=\"Alpine Linux (the tab's own tools)\"\n")
	files["/etc/passwd"] = Text(passwd + "app:x:100:101:app:/home/app:/sbin/nologin\n")
	files["/etc/group"] = Text(group + "app:x:101:app\n")
	files["/home/app"] = Dir(0o755)
	return userland(Image{
		Names: []string{"stefanprodan/podinfo", "ghcr.io/stefanprodan/podinfo", "quay.io/stefanprodan/podinfo"},
		Tags:  Tags{Words: []string{"latest"}, Releases: []Release{{0, 5}, {1, 8}, {2, 1}, {3, 3}, {4, 0}, {5, 2}, {6, 29}}},
		ForTag: func(tag string, img *Image) {
			if version := strings.TrimPrefix(tag, "v"); fullVersion.MatchString(version) {
				img.Files = maps.Clone(img.Files)
				img.Files[podinfo.VersionFile] = Text(version + "\n")
			}
		},
		Cmd:        []string{"./podinfo"},
		Env:        []string{defaultPath},
		WorkingDir: "/home/app",
		User:       "app",
		Files:      files,
		Programs:   map[string]program.Program{"/home/app/podinfo": podinfo.Main, "/usr/local/bin/podcli": podinfo.CLI},
	}, "/bin/busybox", tools)
}
