package main

import (
	"context"
	"os"
	"path"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// e2e is where the conformance suite's images are; their tags are those of upstream's
// test/utils/image/manifest.go.
const e2e = "registry.k8s.io/e2e-test-images/"

// suiteRecipes are images that upstream's conformance suite asks for by name. What is in them is
// what upstream's Dockerfiles (test/images/NAME/Dockerfile) put there, from Debian in place of
// Alpine, and upstream's programs at the version in go.mod.
var suiteRecipes = []recipe{
	{
		name:   "e2e-busybox",
		tags:   []string{e2e + "busybox:1.37.0-1"},
		from:   []string{busybox, bash},
		fill:   func(ctx context.Context, root *tree) error { return root.suiteBase(ctx) },
		config: v1.Config{Cmd: []string{"sh"}, Env: searchPath},
	},
	{
		name:   "agnhost",
		tags:   []string{e2e + "agnhost:2.63.0", e2e + "agnhost:2.55"},
		from:   []string{busybox, bash, curl, dig, netcat, ss},
		fill:   agnhost,
		config: v1.Config{Entrypoint: []string{"/agnhost"}, Cmd: []string{"pause"}, Env: searchPath},
	},
	{
		name:   "kitten",
		tags:   []string{e2e + "kitten:1.8"},
		fill:   agnhostWith("kitten.jpg", "data.json"),
		config: v1.Config{Entrypoint: []string{"/agnhost"}, Cmd: []string{"test-webserver"}, Env: searchPath},
	},
	{
		name:   "nautilus",
		tags:   []string{e2e + "nautilus:1.8"},
		fill:   agnhostWith("nautilus.jpg", "data.json"),
		config: v1.Config{Entrypoint: []string{"/agnhost"}, Cmd: []string{"test-webserver"}, Env: searchPath},
	},
	{
		name: "nonewprivs",
		tags: []string{e2e + "nonewprivs:1.4"},
		from: []string{busybox},
		fill: func(ctx context.Context, root *tree) error {
			const nnp = "/usr/local/bin/nnp"
			if err := root.goProgram(ctx, nnp, "k8s.io/kubernetes/test/images/nonewprivs"); err != nil {
				return err
			}
			e := root.entries[nnp]
			e.mode |= os.ModeSetuid
			root.entries[nnp] = e
			return root.base(ctx)
		},
		config: v1.Config{Cmd: []string{"nnp"}, Env: searchPath},
	},
	{
		name:   "nonroot",
		tags:   []string{e2e + "nonroot:1.5"},
		from:   []string{busybox, bash},
		fill:   func(ctx context.Context, root *tree) error { return root.suiteBase(ctx) },
		config: v1.Config{Cmd: []string{"sh"}, User: "1234", Env: searchPath},
	},
	{
		name: "glibc-dns-testing",
		tags: []string{e2e + "glibc-dns-testing:2.0.0"},
		from: []string{busybox, bash, dig, getent},
		fill: func(ctx context.Context, root *tree) error {
			if err := root.suiteBase(ctx); err != nil {
				return err
			}
			return root.programs(ctx, dig, getent)
		},
		config: v1.Config{Cmd: []string{"bash"}, Env: searchPath},
	},
	{
		// The suite names 1.29.2, the last whose image was made; the source is that of go.mod.
		name: "sample-apiserver",
		tags: []string{e2e + "sample-apiserver:1.29.2"},
		fill: func(ctx context.Context, root *tree) error {
			root.users()
			return root.goProgram(ctx, "/sample-apiserver", "k8s.io/sample-apiserver")
		},
		config: v1.Config{Entrypoint: []string{"/sample-apiserver"}, Env: searchPath},
	},
	{
		name: "etcd",
		tags: []string{"registry.k8s.io/etcd:3.6.8-0"},
		from: []string{busybox},
		fill: func(ctx context.Context, root *tree) error {
			if err := root.base(ctx); err != nil {
				return err
			}
			return root.goProgram(ctx, "/usr/local/bin/etcd", "go.etcd.io/etcd/server/v3")
		},
		config: v1.Config{Cmd: []string{"etcd"}, Env: searchPath},
	},
}

// suiteBase is users and a shell. The shell is bash with busybox' tools: Debian's builds of ash drop
// variables whose names are no shell names ("data-1"), which upstream's images pass on.
func (t *tree) suiteBase(ctx context.Context) error {
	if err := t.base(ctx); err != nil {
		return err
	}
	t.put("/bin/sh", entry{link: "bash"})
	return t.program(ctx, bash, bash)
}

// agnhost is upstream's program of many verbs, with the tools that tests call beside it.
func agnhost(ctx context.Context, root *tree) error {
	if err := root.suiteBase(ctx); err != nil {
		return err
	}
	// A user of the image itself, with a further group.
	root.text("/etc/passwd", passwd+"user-defined-in-image:x:1000:1000::/:/bin/sh\n")
	root.text("/etc/group", group+"user-defined-in-image:x:1000:\ngroup-defined-in-image:x:50000:user-defined-in-image\n")
	root.dirs("/uploads")
	if err := root.programs(ctx, curl, dig, ss, getent); err != nil {
		return err
	}
	if err := root.program(ctx, netcat, "/usr/bin/nc"); err != nil {
		return err
	}
	for _, name := range []string{"localhost.crt", "localhost.key"} {
		if err := root.upstream(ctx, "test/images/agnhost/porter/"+name, "/"+name); err != nil {
			return err
		}
	}
	root.put("/agnhost-2", entry{link: "agnhost"}) // for tests of the entry point
	return root.goProgram(ctx, "/agnhost", "k8s.io/kubernetes/test/images/agnhost")
}

// agnhostWith is agnhost's program and the pages of one of the images that are made of it.
func agnhostWith(picture string, more ...string) func(context.Context, *tree) error {
	return func(ctx context.Context, root *tree) error {
		from := "test/images/" + picture[:len(picture)-len(path.Ext(picture))] + "/html/"
		for _, name := range append(more, picture) {
			if err := root.upstream(ctx, from+name, "/"+name); err != nil {
				return err
			}
		}
		if err := root.base(ctx); err != nil {
			return err
		}
		return root.goProgram(ctx, "/agnhost", "k8s.io/kubernetes/test/images/agnhost")
	}
}
