package image

import (
	"maps"
	"path"
	"slices"

	"github.com/tabernetes/tabernetes/core/program"
)

// Builtins returns a registry with the images that the tab knows. tools are the shell ("sh")
// and the small tools by name, as core/shell's Tools returns them; agnhost are further commands of
// that image, as core/node/agnhost's Commands returns them.
func Builtins(tools, agnhost map[string]program.Program) *Registry {
	r := NewRegistry()
	for _, img := range []Image{
		busybox(tools), alpine(tools), bash(tools), netshoot(tools), debian(tools), ubuntu(tools),
		nginxImage(tools), curl(tools), helloWorld(), pause(), agnhostImage(tools, agnhost),
		nonewprivs(tools, agnhost), updateDemo("nautilus", tools), updateDemo("kitten", tools),
		stressImage(tools), vishStress(), hpaExample(tools), dnsTesting(tools),
		redisImage(tools), memcachedImage(tools), guestbookLeader(tools), guestbookFollower(tools), guestbookFrontEnd(tools),
		httpd(tools), perlImage(tools), bootcamp(tools), helloApp(), echoServer(), plainEcho(), whoami(), httpEcho(), podinfoImage(tools), dexImage(tools),
		named(busybox(tools), testRegistry+"busybox"), named(nginxImage(tools), testRegistry+"nginx"),
		// As kubernetes.io's tutorials have them.
		tagged(busybox(tools), Tags{Words: []string{"latest", "1.24", "1.27", "1.27.2"}}, "registry.k8s.io/busybox", "k8s.gcr.io/busybox", "gcr.io/google_containers/busybox"),
		tagged(nginxImage(tools), Tags{Releases: []Release{{0, 27}}}, "registry.k8s.io/nginx-slim", "k8s.gcr.io/nginx-slim", "gcr.io/google_containers/nginx-slim"),
		goproxy(), loadImage(tools), flakyImage(tools),
	} {
		if err := r.Register(img); err != nil {
			panic(err) // a constant name does not parse
		}
	}
	r.SetUnknown(idle(tools))
	return r
}

// named is the image under another name, with whatever tags that has.
func named(img Image, name string) Image {
	img.Names, img.Tags = []string{name}, Tags{}
	return img
}

// tagged is the image under other names that have tags of their own.
func tagged(img Image, tags Tags, names ...string) Image {
	img.Names, img.Tags = names, tags
	return img
}

// userland adds the shell and its tools to img: one program that finds what to be in
// argv[0], under bin, with a symbolic link for each name, as busybox is installed. Its
// directory is shared.
func userland(img Image, bin string, tools map[string]program.Program) Image {
	img.Files = maps.Clone(img.Files)
	if img.Files == nil {
		img.Files = map[string]File{}
	}
	img.Programs = maps.Clone(img.Programs)
	if img.Programs == nil {
		img.Programs = map[string]program.Program{}
	}
	img.Shared = append(slices.Clone(img.Shared), path.Dir(bin))
	img.Programs[bin] = multicall(path.Base(bin), tools)
	for name := range tools {
		link := path.Join(path.Dir(bin), name)
		if link != bin {
			img.Files[link] = Link(path.Base(bin))
		}
	}
	return img
}

// base is what every small Linux image has.
func base(osRelease string) map[string]File {
	return map[string]File{
		"/etc/passwd":     Text(passwd),
		"/etc/group":      Text(group),
		"/etc/os-release": Text(osRelease),
		"/root":           Dir(0o700),
		"/tmp":            {Mode: modeTmp},
		"/home":           Dir(0o755),
		"/var/log":        Dir(0o755),
		"/var/tmp":        {Mode: modeTmp},
		"/run":            Dir(0o755),
		"/usr/bin":        Dir(0o755),
		"/usr/sbin":       Dir(0o755),
		"/sbin":           Dir(0o755),
		"/opt":            Dir(0o755),
		"/mnt":            Dir(0o755),
	}
}

const defaultPath = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

func busybox(tools map[string]program.Program) Image {
	return userland(Image{
		Names: []string{"busybox"},
		Tags: Tags{
			Words:    []string{"latest", "stable", "unstable"},
			Releases: []Release{{1, 39}},
			Variants: []string{"glibc", "musl", "uclibc"},
		},
		Cmd:   []string{"sh"},
		Env:   []string{defaultPath},
		Files: base("NAME=\"BusyBox\"\nID=busybox\nPRETTY_NAME=\"BusyBox (the tab's own tools)\"\n"),
	}, "/bin/busybox", tools)
}

func alpine(tools map[string]program.Program) Image {
	return userland(Image{
		Names: []string{"alpine"},
		Tags:  Tags{Words: []string{"latest", "edge"}, Releases: []Release{{3, 29}}},
		Cmd:   []string{"/bin/sh"},
		Env:   []string{defaultPath},
		Files: base("NAME=\"Alpine Linux\"\nID=alpine\nPRETTY_NAME=\"Alpine Linux (the tab's own tools)\"\n"),
	}, "/bin/busybox", tools)
}

// bash is alpine, for what its shell is named for.
func bash(tools map[string]program.Program) Image {
	img := alpine(withBash(tools))
	img.Names, img.Cmd = []string{"bash"}, []string{"bash"}
	img.Tags = Tags{Words: []string{"latest", "devel"}, Releases: []Release{{3, 2}, {4, 4}, {5, 9}}, Variants: []string{"alpine"}}
	return img
}

// netshoot is for whoever looks at a network: the shell with the tools that are here.
func netshoot(tools map[string]program.Program) Image {
	img := alpine(withBash(tools))
	img.Names, img.Tags, img.Cmd = []string{"nicolaka/netshoot"}, Tags{Words: []string{"latest"}, Releases: []Release{{0, 29}, {1, 0}}}, []string{"bash"}
	return img
}

func debian(tools map[string]program.Program) Image {
	return userland(Image{
		Names: []string{"debian"},
		Tags: Tags{
			Words: []string{"latest", "stable", "oldstable", "testing", "unstable", "sid",
				"buster", "bullseye", "bookworm", "trixie", "forky"},
			Releases: []Release{{9, 13}, {10, 13}, {11, 13}, {12, 14}, {13, 14}},
			Variants: []string{"slim", "backports"},
		},
		Cmd:   []string{"bash"},
		Env:   []string{defaultPath},
		Files: base(debianRelease),
	}, "/bin/busybox", withBash(tools))
}

func ubuntu(tools map[string]program.Program) Image {
	years := []Release{{14, 10}, {16, 10}, {18, 10}}
	for year := 20; year <= 27; year++ {
		years = append(years, Release{year, 10})
	}
	return userland(Image{
		Names: []string{"ubuntu"},
		Tags: Tags{
			Words:    []string{"latest", "rolling", "devel", "focal", "jammy", "noble", "questing", "resolute"},
			Releases: years,
		},
		Cmd:   []string{"/bin/bash"},
		Env:   []string{defaultPath},
		Files: base("NAME=\"Ubuntu\"\nID=ubuntu\nPRETTY_NAME=\"Ubuntu (the tab's own tools)\"\n"),
	}, "/bin/busybox", withBash(tools))
}

// withBash adds the shell under the name bash, if there is a shell.
func withBash(tools map[string]program.Program) map[string]program.Program {
	tools = maps.Clone(tools)
	if sh, ok := tools["sh"]; ok {
		tools["bash"] = sh
	}
	return tools
}

func curl(tools map[string]program.Program) Image {
	return userland(Image{
		Names:      []string{"curlimages/curl", "quay.io/curl/curl"},
		Tags:       Tags{Words: []string{"latest"}, Releases: []Release{{7, 99}, {8, 29}}},
		Entrypoint: []string{"/entrypoint.sh"},
		Cmd:        []string{"curl"},
		Env:        []string{defaultPath},
		User:       "curl_user",
		Files: func() map[string]File {
			files := base("NAME=\"Alpine Linux\"\nID=alpine\nPRETTY_NAME=\"Alpine Linux (the tab's own tools)\"\n")
			files["/etc/passwd"] = Text(passwd + "curl_user:x:100:101:curl:/home/curl_user:/bin/sh\n")
			files["/home/curl_user"] = Dir(0o755)
			return files
		}(),
		Programs: map[string]program.Program{"/entrypoint.sh": curlEntry},
	}, "/bin/busybox", tools)
}

func helloWorld() Image {
	return Image{
		Names:    []string{"hello-world"},
		Tags:     Tags{Words: []string{"latest", "linux", "nanoserver"}},
		Cmd:      []string{"/hello"},
		Env:      []string{defaultPath},
		Programs: map[string]program.Program{"/hello": hello},
	}
}

func pause() Image {
	return Image{
		Names:      []string{"registry.k8s.io/pause", "k8s.gcr.io/pause", "gcr.io/google_containers/pause"},
		Tags:       Tags{Words: []string{"latest", "test", "go"}, Releases: []Release{{0, 8}, {1, 0}, {2, 0}, {3, 15}}},
		Entrypoint: []string{"/pause"},
		Env:        []string{defaultPath},
		User:       "65535:65535",
		Programs:   map[string]program.Program{"/pause": Pause},
		Pinned:     true,
	}
}

// idle stands for every name that the tab does not know.
func idle(tools map[string]program.Program) Image {
	return userland(Image{
		Entrypoint: []string{idlePath},
		Env:        []string{defaultPath},
		Files:      base("NAME=\"Tabernetes\"\nID=tabernetes\nPRETTY_NAME=\"An image that the tab does not know\"\n"),
		Programs:   map[string]program.Program{idlePath: idleEntry},
		Fallback:   Idle,
		Labels:     map[string]string{"tabernetes.io/known": "false"},
	}, "/bin/busybox", withBash(tools))
}

// names lists the tools, sorted.
func names(tools map[string]program.Program) []string { return slices.Sorted(maps.Keys(tools)) }

const debianRelease = "NAME=\"Debian GNU/Linux\"\nID=debian\nPRETTY_NAME=\"Debian GNU/Linux (the tab's own tools)\"\n"

const passwd = `root:x:0:0:root:/root:/bin/sh
daemon:x:1:1:daemon:/usr/sbin:/bin/false
bin:x:2:2:bin:/bin:/bin/false
www-data:x:33:33:www-data:/var/www:/bin/false
nginx:x:101:101:nginx:/nonexistent:/bin/false
nobody:x:65534:65534:nobody:/home:/bin/false
`

const group = `root:x:0:
daemon:x:1:
bin:x:2:
tty:x:5:
www-data:x:33:
nginx:x:101:
nogroup:x:65534:
`
