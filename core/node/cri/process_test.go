package cri

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// output runs a container to its end and gives what it printed.
func (f *fixture) output(config *runtimeapi.ContainerConfig) (stdout string, st *runtimeapi.ContainerStatus) {
	f.t.Helper()
	sandbox, sc := f.pod()
	id := f.create(sandbox, sc, config)
	if err := f.StartContainer(f.t.Context(), id); err != nil {
		f.t.Fatalf("start %v: %v", config.Command, err)
	}
	st = f.wait(id)
	out, errOut := f.log(id, false)
	return out + errOut, st
}

// TestTheFirstProcessIsNumberOne: also where a command is executed before its program runs, as a hook may be, and here
// one whose program waits for who is attached.
func TestTheFirstProcessIsNumberOne(t *testing.T) {
	f := newFixture(t)
	sandbox, sc := f.pod()
	config := f.containerConfig("main", "/bin/forever")
	config.Stdin, config.StdinOnce = true, true
	id := f.create(sandbox, sc, config)
	if err := f.StartContainer(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if got := f.say(id, "/bin/pid"); got != "2" {
		t.Errorf("what is executed is process %s", got)
	}
	if first := f.containers[id].processes.List()[0]; first.PID != 1 || first.Args[0] != "/bin/forever" {
		t.Errorf("the first process is %+v", first)
	}
}

func TestEntrypointAndCommand(t *testing.T) {
	f := newFixture(t)
	for _, c := range []struct {
		command, args []string
		want          string
	}{
		{nil, nil, "entry cmd"},
		{nil, []string{"arg"}, "entry arg"},
		{[]string{"echo", "command"}, nil, "command"},
		{[]string{"echo"}, []string{"both", "given"}, "both given"},
	} {
		config := f.containerConfig("c")
		config.Command, config.Args = c.command, c.args
		if got, _ := f.output(config); got != c.want+"\n" {
			t.Errorf("command %v, args %v: %q, want %q", c.command, c.args, got, c.want)
		}
	}
}

func TestEnvironment(t *testing.T) {
	f := newFixture(t)
	config := f.containerConfig("c", "env")
	config.Envs = []*runtimeapi.KeyValue{{Key: "BOTH", Value: []byte("pod")}, {Key: "MINE", Value: []byte("a=b c")}}
	out, _ := f.output(config)
	for _, want := range []string{
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOSTNAME=pod1", "HOME=/home/worker",
		"FROM=image", "BOTH=pod", "MINE=a=b c",
	} {
		if !strings.Contains("\n"+out, "\n"+want+"\n") {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
	if strings.Contains(out, "TERM=") || strings.Contains(out, "BOTH=image") || strings.Contains(out, "TABERNETES_IMAGE") {
		t.Errorf("too much in\n%s", out)
	}
}

func TestWorkingDirectory(t *testing.T) {
	f := newFixture(t)
	config := f.containerConfig("c", "pwd")
	if got, _ := f.output(config); got != "/work pod1\n" {
		t.Errorf("the image's: %q", got)
	}
	config = f.containerConfig("c", "sh", "-c", "write here x")
	config.WorkingDir, config.Linux = "/made/for/it", asRoot()
	if _, st := f.output(config); st.ExitCode != 0 {
		t.Errorf("a directory that was missing: %+v", st)
	}
}

func TestUser(t *testing.T) {
	f := newFixture(t)
	value := func(v int64) *runtimeapi.Int64Value { return &runtimeapi.Int64Value{Value: v} }
	for i, c := range []struct {
		sc   *runtimeapi.LinuxContainerSecurityContext
		want string
	}{
		{nil, "1000 1001 [10 1001]"},
		{&runtimeapi.LinuxContainerSecurityContext{RunAsUser: value(0)}, "0 0 [0]"},
		{&runtimeapi.LinuxContainerSecurityContext{RunAsUser: value(4242)}, "4242 0 [0]"},
		{&runtimeapi.LinuxContainerSecurityContext{RunAsUser: value(4242), RunAsGroup: value(7), SupplementalGroups: []int64{9, 8}}, "4242 7 [7 8 9]"},
		{&runtimeapi.LinuxContainerSecurityContext{RunAsUsername: "worker", SupplementalGroupsPolicy: runtimeapi.SupplementalGroupsPolicy_Strict, SupplementalGroups: []int64{5}}, "1000 1001 [5 1001]"},
	} {
		config := f.containerConfig("c", "pwd")
		config.Linux = &runtimeapi.LinuxContainerConfig{SecurityContext: c.sc}
		sandbox, sc := f.pod()
		u := f.status(f.create(sandbox, sc, config)).User.Linux
		if got := fmt.Sprintf("%d %d %v", u.Uid, u.Gid, u.SupplementalGroups); got != c.want {
			t.Errorf("%d: %s, want %s", i, got, c.want)
		}
	}
	config := f.containerConfig("c", "pwd")
	config.Linux = &runtimeapi.LinuxContainerConfig{SecurityContext: &runtimeapi.LinuxContainerSecurityContext{RunAsUsername: "stranger"}}
	sandbox, sc := f.pod()
	if _, err := f.CreateContainer(t.Context(), sandbox, config, sc); err == nil || !strings.Contains(err.Error(), "unable to find user stranger") {
		t.Errorf("a user that the image does not have: %v", err)
	}
}

// asRoot is what a container runs as whose image has another user.
func asRoot() *runtimeapi.LinuxContainerConfig {
	return &runtimeapi.LinuxContainerConfig{SecurityContext: &runtimeapi.LinuxContainerSecurityContext{
		RunAsUser: &runtimeapi.Int64Value{Value: 0},
	}}
}

func TestMounts(t *testing.T) {
	f := newFixture(t)
	host := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(host, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	// As the kubelet's atomic writer lays a ConfigMap out.
	write("cm/..2024/key", "config\n")
	write("rw/old", "old\n")
	for link, target := range map[string]string{"cm/..data": "..2024", "cm/key": "..data/key", "link": "rw"} {
		if err := os.Symlink(target, filepath.Join(host, link)); err != nil {
			t.Fatal(err)
		}
	}
	hosts := write("hosts", "1.2.3.4 somewhere\n")
	run := func(command ...string) (string, int32) {
		config := f.containerConfig("c", command...)
		config.Linux = asRoot()
		config.Mounts = []*runtimeapi.Mount{
			{ContainerPath: "/config", HostPath: filepath.Join(host, "cm"), Readonly: true},
			{ContainerPath: "/var/data", HostPath: filepath.Join(host, "rw")},
			{ContainerPath: "/var/data/nested", HostPath: filepath.Join(host, "cm"), Readonly: true},
			{ContainerPath: "/linked", HostPath: filepath.Join(host, "link")},
			{ContainerPath: "/fresh", HostPath: filepath.Join(host, "not/there/yet")},
			{ContainerPath: "/etc/hosts", HostPath: hosts},
		}
		out, st := f.output(config)
		return out, st.ExitCode
	}
	for _, c := range []struct {
		command []string
		want    string
		code    int32
	}{
		{[]string{"cat", "/config/key"}, "config\n", 0},
		{[]string{"cat", "/var/data/old"}, "old\n", 0},
		{[]string{"cat", "/var/data/nested/key"}, "config\n", 0},
		{[]string{"cat", "/linked/old"}, "old\n", 0},
		{[]string{"cat", "/etc/hosts"}, "1.2.3.4 somewhere\n", 0},
		{[]string{"cat", "/etc/resolv.conf"}, "search default.svc.cluster.local\nnameserver 10.96.0.10\noptions ndots:5\n", 0},
		{[]string{"cat", "/data/banner"}, "from the image\n", 0},
		{[]string{"write", "/config/new", "x"}, "write: open /config/new: read-only file system\n", 1},
		{[]string{"write", "/config/key", "x"}, "write: open /config/key: read-only file system\n", 1},
		{[]string{"write", "/var/data/new", "x"}, "", 0},
		{[]string{"write", "/fresh/new", "x"}, "", 0},
		{[]string{"cat", "/config/../../../../etc/nosuch"}, "cat: open /config/../../../../etc/nosuch: no such file or directory\n", 1},
	} {
		// How an error is spelled is the operating system's.
		if got, code := run(c.command...); !strings.EqualFold(got, c.want) || code != c.code {
			t.Errorf("%v: %q, code %d; want %q, %d", c.command, got, code, c.want, c.code)
		}
	}
	for _, name := range []string{"rw/new", "not/there/yet/new"} {
		if data, err := os.ReadFile(filepath.Join(host, name)); err != nil || string(data) != "x" {
			t.Errorf("%s on the host: %q, %v", name, data, err)
		}
	}
	if _, err := os.Stat(filepath.Join(host, "cm/new")); err == nil {
		t.Error("a read-only mount was written")
	}
}

func TestReadOnlyRoot(t *testing.T) {
	f := newFixture(t)
	host := t.TempDir()
	for _, c := range []struct {
		command []string
		code    int32
	}{
		{[]string{"write", "/tmp-file", "x"}, 1},
		{[]string{"write", "/data/banner", "x"}, 1},
		{[]string{"write", "/deep/inside/volume/x", "x"}, 0},
		{[]string{"cat", "/data/banner"}, 0},
	} {
		config := f.containerConfig("c", c.command...)
		config.Linux = asRoot()
		config.Linux.SecurityContext.ReadonlyRootfs = true
		config.Mounts = []*runtimeapi.Mount{{ContainerPath: "/deep/inside/volume", HostPath: host}}
		config.WorkingDir = "/"
		if out, st := f.output(config); st.ExitCode != c.code {
			t.Errorf("%v: code %d, %s", c.command, st.ExitCode, out)
		}
	}
}

func TestImageVolume(t *testing.T) {
	f := newFixture(t)
	config := f.containerConfig("c", "cat", "/vol/banner")
	config.Mounts = []*runtimeapi.Mount{{ContainerPath: "/vol", Image: &runtimeapi.ImageSpec{Image: f.pull("test:v2")}, ImageSubPath: "data"}}
	if out, _ := f.output(config); out != "from the image\n" {
		t.Errorf("%q", out)
	}
	config = f.containerConfig("c", "cat", "/vol/banner")
	config.Mounts = []*runtimeapi.Mount{{ContainerPath: "/vol", Image: &runtimeapi.ImageSpec{Image: f.pull("test:v2")}, ImageSubPath: "nosuch"}}
	sandbox, sc := f.pod()
	if _, err := f.CreateContainer(t.Context(), sandbox, config, sc); err == nil || !strings.Contains(err.Error(), "ImageVolumeMountFailed") {
		t.Errorf("a sub-path that is missing: %v", err)
	}
}

// A program file that is copied into a volume runs in another pod's container.
func TestProgramsCanBeCopied(t *testing.T) {
	f := newFixture(t)
	host := t.TempDir()
	out, _ := f.output(f.containerConfig("c", "cat", "/bin/echo"))
	if err := os.WriteFile(filepath.Join(host, "mine"), []byte(out), 0o755); err != nil {
		t.Fatal(err)
	}
	config := f.containerConfig("c", "/shared/mine", "works")
	config.Image = &runtimeapi.ImageSpec{Image: f.pull("busybox")}
	config.Mounts = []*runtimeapi.Mount{{ContainerPath: "/shared", HostPath: host}}
	if out, st := f.output(config); out != "works\n" {
		t.Errorf("%q, %+v", out, st)
	}
}

func TestScripts(t *testing.T) {
	f := newFixture(t)
	for _, c := range []struct {
		command []string
		want    string
	}{
		{[]string{"script"}, "scripted\n"},
		{[]string{"sh", "-c", "script"}, "scripted\n"},
		{[]string{"sh", "-c", "plain"}, "plain\n"}, // a shell runs what execve refuses
		{[]string{"sh", "-c", "noexec"}, "sh: noexec: not found\n"},
		{[]string{"sh", "-c", "/bin/noexec"}, "sh: /bin/noexec: Permission denied\n"},
		{[]string{"sh", "-c", "broken"}, "sh: broken: not found\n"},
	} {
		if got, _ := f.output(f.containerConfig("c", c.command...)); got != c.want {
			t.Errorf("%v: %q, want %q", c.command, got, c.want)
		}
	}
}

func TestUnknownImageIdles(t *testing.T) {
	f := newFixture(t)
	sandbox, sc := f.pod()
	config := f.containerConfig("c", "shop-server", "--save", "60")
	config.Image = &runtimeapi.ImageSpec{Image: f.pull("acme/shop:7"), UserSpecifiedImage: "acme/shop:7"}
	id := f.create(sandbox, sc, config)
	if err := f.StartContainer(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if err := f.StopContainer(t.Context(), id, 30); err != nil {
		t.Fatal(err)
	}
	if st := f.status(id); st.ExitCode != 0 || st.Reason != "Completed" || !strings.HasPrefix(st.ImageRef, "stand-in://docker.io/acme/shop@sha256:") {
		t.Errorf("status %+v", st)
	}
	if out, _ := f.log(id, false); !strings.Contains(out, "docker.io/acme/shop:7 is not known to the tab") {
		t.Errorf("log %q", out)
	}
	// Its shell is real, and its default is to idle.
	config.Metadata.Attempt, config.Command = 1, []string{"sh", "-c", "echo really"}
	if out, _ := f.output(config); out != "really\n" {
		t.Errorf("%q", out)
	}
}
