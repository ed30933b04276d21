package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

const (
	flannelVersion = "v0.28.10"
	// The plugin's own module is not on the Go module proxy; until 1.0 it was one of containernetworking's.
	flannelPlugin = "github.com/containernetworking/plugins/plugins/meta/flannel@v0.9.1"
)

// flannel is flannel's daemon and its CNI plugin, under the names of its own manifest
// (Documentation/kube-flannel.yml): how a network that is a DaemonSet comes to a node is tried by hand
// with it (docs/nodes.md).
var flannel = recipe{
	name:   "flannel",
	tags:   []string{"ghcr.io/flannel-io/flannel:" + flannelVersion, "ghcr.io/flannel-io/flannel-cni-plugin:v1.9.1-flannel3"},
	from:   []string{busybox, xtables},
	byName: true,
	fill: func(ctx context.Context, root *tree) error {
		if err := root.base(ctx); err != nil {
			return err
		}
		// It is called by the name of what it is to be; its matches and targets are files.
		for _, name := range []string{"/usr/sbin/iptables", "/usr/sbin/ip6tables", "/usr/sbin/iptables-restore", "/usr/sbin/ip6tables-restore"} {
			if err := root.program(ctx, xtables, name); err != nil {
				return err
			}
		}
		extensions, err := filepath.Glob("/usr/lib/*/xtables/*.so")
		if err != nil {
			return err
		}
		for _, file := range extensions {
			if err := root.copy(file, file); err != nil {
				return err
			}
		}
		source, err := flannelSource(ctx)
		if err != nil {
			return err
		}
		defer os.RemoveAll(source)
		// Its UDP back end is C.
		if err := root.compiled(ctx, "/opt/bin/flanneld", "env", "CGO_ENABLED=1", "go", "build", "-C", source, "-tags", "netgo,osusergo",
			"-trimpath", `-ldflags=-s -w -extldflags "-static"`, "-o", "%", "."); err != nil {
			return err
		}
		if err := root.compiled(ctx, "/opt/bin/install-conf", "go", "build", "-C", source, "-trimpath", "-ldflags=-s -w", "-o", "%", "./cmd/install_conf"); err != nil {
			return err
		}
		return root.installed(ctx, "/flannel", flannelPlugin)
	},
	config: v1.Config{Entrypoint: []string{"/opt/bin/flanneld"}, Env: searchPath},
}

// flannelSource is a copy of flannel's source without the back end of one cloud, whose library the Go
// module proxy does not have. The caller removes it.
func flannelSource(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "mod", "download", "-json", "github.com/flannel-io/flannel@"+flannelVersion).Output()
	if err != nil {
		return "", fmt.Errorf("download flannel's source: %w", err)
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(out, &module); err != nil {
		return "", fmt.Errorf("download flannel's source: %w", err)
	}
	dir, err := os.MkdirTemp("", "images-")
	if err != nil {
		return "", err
	}
	if err := os.CopyFS(dir, os.DirFS(module.Dir)); err != nil {
		return dir, fmt.Errorf("copy flannel's source: %w", err)
	}
	main := filepath.Join(dir, "main.go")
	text, err := os.ReadFile(main)
	if err != nil {
		return dir, err
	}
	const backEnd = "\t_ \"github.com/flannel-io/flannel/pkg/backend/tencentvpc\"\n"
	if !strings.Contains(string(text), backEnd) {
		return dir, fmt.Errorf("flannel %s imports its back ends otherwise; see flannelSource", flannelVersion)
	}
	return dir, os.WriteFile(main, []byte(strings.Replace(string(text), backEnd, "", 1)), 0o600)
}

// installed is a Go program of another module, MODULE@VERSION, linked statically.
func (t *tree) installed(ctx context.Context, to, module string) error {
	dir, err := os.MkdirTemp("", "images-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	cmd := exec.CommandContext(ctx, "go", "install", "-trimpath", "-ldflags=-s -w", module)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOBIN="+dir)
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("install %s: %w\n%s", module, err, text)
	}
	path, _, _ := strings.Cut(module, "@")
	return t.copy(filepath.Join(dir, filepath.Base(path)), to)
}
