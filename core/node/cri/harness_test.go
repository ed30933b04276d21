package cri

import (
	"context"
	"fmt"
	"io"
	"net/netip"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	"k8s.io/cri-client/pkg/logs"

	"github.com/tabernetes/tabernetes/core/netns"
	"github.com/tabernetes/tabernetes/core/node/image"
	"github.com/tabernetes/tabernetes/core/program"
)

func TestMain(m *testing.M) { netns.Main(m) }

// tools are the programs of the tests' images: what a shell's small tools would be.
var tools = map[string]program.Program{
	"echo": func(_ context.Context, p *program.Process) int {
		fmt.Fprintln(p.Stdout, strings.Join(p.Args[1:], " "))
		return 0
	},
	"err": func(_ context.Context, p *program.Process) int {
		fmt.Fprintln(p.Stderr, strings.Join(p.Args[1:], " "))
		return 0
	},
	"exit": func(_ context.Context, p *program.Process) int {
		code, _ := strconv.Atoi(p.Args[1])
		return code
	},
	"cat": func(_ context.Context, p *program.Process) int {
		if len(p.Args) > 1 {
			data, err := p.FS.ReadFile(p.Path(p.Args[1]))
			if err != nil {
				fmt.Fprintln(p.Stderr, "cat:", err)
				return 1
			}
			p.Stdout.Write(data)
			return 0
		}
		io.Copy(p.Stdout, p.Stdin)
		return 0
	},
	"write": func(_ context.Context, p *program.Process) int {
		if err := p.FS.WriteFile(p.Path(p.Args[1]), []byte(p.Args[2]), 0o644); err != nil {
			fmt.Fprintln(p.Stderr, "write:", err)
			return 1
		}
		return 0
	},
	"env": func(_ context.Context, p *program.Process) int {
		fmt.Fprintln(p.Stdout, strings.Join(p.Env, "\n"))
		return 0
	},
	"pwd": func(_ context.Context, p *program.Process) int {
		fmt.Fprintln(p.Stdout, p.Dir, p.Hostname)
		return 0
	},
	"printf": func(_ context.Context, p *program.Process) int {
		io.WriteString(p.Stdout, strings.ReplaceAll(p.Args[1], `\n`, "\n"))
		return 0
	},
	"pid": func(_ context.Context, p *program.Process) int {
		fmt.Fprintln(p.Stdout, p.PID)
		return 0
	},
	// forever does not listen to signals; a kill ends it.
	"forever": func(ctx context.Context, _ *program.Process) int {
		<-ctx.Done()
		return 3
	},
	// stubborn does not even listen to that.
	"stubborn": func(context.Context, *program.Process) int {
		select {}
	},
	// term ends on SIGTERM with the code given.
	"term": func(ctx context.Context, p *program.Process) int {
		fmt.Fprintln(p.Stdout, "started")
		for {
			select {
			case s := <-p.Signals:
				fmt.Fprintln(p.Stdout, "signal", s.Name())
				if s == program.SIGTERM {
					code, _ := strconv.Atoi(p.Args[1])
					return code
				}
			case <-ctx.Done():
				return 9
			}
		}
	},
	"panic": func(context.Context, *program.Process) int { panic("out of cheese") },
	"sh": func(ctx context.Context, p *program.Process) int { // one command of words
		words := strings.Fields(p.Args[len(p.Args)-1])
		if len(p.Args) == 2 { // a script
			data, _ := p.FS.ReadFile(p.Args[1])
			lines := strings.Split(string(data), "\n")
			words = strings.Fields(lines[len(lines)-1])
			if len(words) == 0 {
				words = strings.Fields(lines[len(lines)-2])
			}
		}
		prog, ok := p.Lookup(words[0])
		if !ok {
			fmt.Fprintf(p.Stderr, "sh: %s: not found\n", words[0])
			return 127
		}
		return prog(ctx, p.Child(words...))
	},
	// serve answers each connection to a port with a line.
	"serve": func(ctx context.Context, p *program.Process) int {
		l, err := p.Net.Listen(ctx, "tcp", p.Args[1])
		if err != nil {
			fmt.Fprintln(p.Stderr, "serve:", err)
			return 1
		}
		fmt.Fprintln(p.Stdout, "listening on", l.Addr())
		for {
			c, err := l.Accept()
			if err != nil {
				return 0
			}
			go func() {
				defer c.Close()
				buf := make([]byte, 64)
				n, _ := c.Read(buf)
				fmt.Fprintf(c, "you said %q", buf[:n])
			}()
		}
	},
	"terminal": func(_ context.Context, p *program.Process) int {
		if p.Terminal == nil {
			fmt.Fprintln(p.Stdout, "no terminal")
			return 1
		}
		cols, rows := p.Terminal.Size()
		for cols == 80 { // until the client told its window
			<-p.Terminal.Resized()
			cols, rows = p.Terminal.Size()
		}
		fmt.Fprintf(p.Stdout, "%dx%d\n", cols, rows)
		buf := make([]byte, 256)
		n, err := p.Stdin.Read(buf)
		fmt.Fprintf(p.Stdout, "read %q %v\n", buf[:n], err)
		s := <-p.Signals
		fmt.Fprintf(p.Stdout, "got SIG%s\n", s.Name())
		return 42
	},
}

var nodeIP = netip.MustParseAddr("172.30.0.11")

type fixture struct {
	*Runtime
	t    *testing.T
	logs string
	pods atomic.Int32
}

func newFixture(t *testing.T, change ...func(*Options)) *fixture {
	t.Helper()
	netns.Require(t)
	images := image.Builtins(tools, nil)
	if err := images.Register(image.Image{
		Names: []string{"test"}, Entrypoint: []string{"/bin/echo", "entry"}, Cmd: []string{"cmd"},
		Env: []string{"FROM=image", "BOTH=image"}, WorkingDir: "/work", User: "worker",
		Files: map[string]image.File{
			"/etc/passwd":  image.Text("root:x:0:0:root:/root:/bin/sh\nworker:x:1000:1001:w:/home/worker:/bin/sh\n"),
			"/etc/group":   image.Text("root:x:0:\nworkers:x:1001:\nwheel:x:10:worker\n"),
			"/data/banner": image.Text("from the image\n"),
			"/bin/script":  {Data: []byte("#!/bin/sh\necho scripted\n"), Mode: 0o755},
			"/bin/plain":   {Data: []byte("echo plain\n"), Mode: 0o755},
			"/bin/noexec":  {Data: []byte("#!/bin/sh\n"), Mode: 0o644},
			"/bin/broken":  {Data: []byte("#!/bin/nosuch\n"), Mode: 0o755},
		},
		Programs: programs("/bin/"),
	}); err != nil {
		t.Fatal(err)
	}
	opts := Options{
		NodeName: "node-1", NodeIP: nodeIP, RootDir: t.TempDir(),
		Images: images, PodCIDR: "10.244.1.0/24",
	}
	for _, f := range change {
		f(&opts)
	}
	r, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	ctx, cancel := context.WithCancel(context.Background())
	go func() { done <- r.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("run: %v", err)
		}
	})
	return &fixture{Runtime: r, t: t, logs: t.TempDir()}
}

func programs(dir string) map[string]program.Program {
	m := map[string]program.Program{}
	for name, prog := range tools {
		m[dir+name] = prog
	}
	return m
}

// pod runs a sandbox.
func (f *fixture) pod(change ...func(*runtimeapi.PodSandboxConfig)) (string, *runtimeapi.PodSandboxConfig) {
	f.t.Helper()
	n := strconv.Itoa(int(f.pods.Add(1)))
	config := &runtimeapi.PodSandboxConfig{
		Metadata:     &runtimeapi.PodSandboxMetadata{Name: "pod" + n, Namespace: "default", Uid: "uid-" + n},
		Hostname:     "pod" + n,
		LogDirectory: filepath.Join(f.logs, "default_pod"+n+"_uid-"+n),
		Labels:       map[string]string{"app": "pod" + n, "tier": "test"},
		Annotations:  map[string]string{"note": "n" + n},
		DnsConfig:    &runtimeapi.DNSConfig{Servers: []string{"10.96.0.10"}, Searches: []string{"default.svc.cluster.local"}, Options: []string{"ndots:5"}},
	}
	// The kubelet asks for this; the CRI's default is to share.
	config.Linux = &runtimeapi.LinuxPodSandboxConfig{SecurityContext: &runtimeapi.LinuxSandboxSecurityContext{
		NamespaceOptions: &runtimeapi.NamespaceOption{Pid: runtimeapi.NamespaceMode_CONTAINER}}}
	for _, c := range change {
		c(config)
	}
	id, err := f.RunPodSandbox(f.t.Context(), config, "")
	if err != nil {
		f.t.Fatalf("run sandbox: %v", err)
	}
	return id, config
}

// pull pulls an image and gives its id.
func (f *fixture) pull(ref string) string {
	f.t.Helper()
	id, err := f.PullImage(f.t.Context(), &runtimeapi.ImageSpec{Image: ref}, nil, nil)
	if err != nil {
		f.t.Fatalf("pull %s: %v", ref, err)
	}
	return id
}

// containerConfig is a container of the tests' image that runs command.
func (f *fixture) containerConfig(name string, command ...string) *runtimeapi.ContainerConfig {
	return &runtimeapi.ContainerConfig{
		Metadata: &runtimeapi.ContainerMetadata{Name: name},
		Image:    &runtimeapi.ImageSpec{Image: f.pull("test"), UserSpecifiedImage: "test"},
		Command:  command,
		LogPath:  name + "/0.log",
		Labels:   map[string]string{"name": name},
	}
}

// startOnce starts a container whose input is of one client.
func (f *fixture) startOnce(sandbox string, sc *runtimeapi.PodSandboxConfig, name string, command ...string) string {
	f.t.Helper()
	config := f.containerConfig(name, command...)
	config.Stdin, config.StdinOnce = true, true
	id := f.create(sandbox, sc, config)
	if err := f.StartContainer(f.t.Context(), id); err != nil {
		f.t.Fatal(err)
	}
	return id
}

// create makes a container in a sandbox.
func (f *fixture) create(sandbox string, sc *runtimeapi.PodSandboxConfig, config *runtimeapi.ContainerConfig) string {
	f.t.Helper()
	id, err := f.CreateContainer(f.t.Context(), sandbox, config, sc)
	if err != nil {
		f.t.Fatalf("create container %s: %v", config.Metadata.Name, err)
	}
	return id
}

// start makes and starts a container that runs command in a pod of its own.
func (f *fixture) start(command ...string) (id string, sc *runtimeapi.PodSandboxConfig) {
	f.t.Helper()
	sandbox, sc := f.pod()
	id = f.create(sandbox, sc, f.containerConfig("main", command...))
	if err := f.StartContainer(f.t.Context(), id); err != nil {
		f.t.Fatalf("start %v: %v", command, err)
	}
	return id, sc
}

// status is the container's.
func (f *fixture) status(id string) *runtimeapi.ContainerStatus {
	f.t.Helper()
	resp, err := f.ContainerStatus(f.t.Context(), id, false)
	if err != nil {
		f.t.Fatalf("status of %s: %v", id, err)
	}
	return resp.Status
}

// wait waits until the container has exited.
func (f *fixture) wait(id string) *runtimeapi.ContainerStatus {
	f.t.Helper()
	c, err := f.container(id)
	if err != nil {
		f.t.Fatal(err)
	}
	select {
	case <-c.done:
	case <-time.After(2 * time.Minute):
		f.t.Fatalf("container %v does not exit", c.spec.args)
	}
	return f.status(id)
}

// log reads the container's log with upstream's reader.
func (f *fixture) log(id string, follow bool) (stdout, stderr string) {
	f.t.Helper()
	var out, errOut strings.Builder
	if err := logs.ReadLogs(f.t.Context(), f.status(id).LogPath, id, &logs.LogOptions{Follow: follow}, f.Runtime, &out, &errOut); err != nil {
		f.t.Fatalf("read log: %v", err)
	}
	return out.String(), errOut.String()
}
