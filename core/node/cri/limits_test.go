package cri

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/scripts/eventually"
)

func init() {
	// hoard holds more and more.
	tools["hoard"] = func(ctx context.Context, p *program.Process) int {
		held := p.Memory()
		for held.Grow(1<<20) == nil {
		}
		return 3
	}
	// log writes lines to its log until it is killed.
	tools["log"] = func(ctx context.Context, p *program.Process) int {
		line := strings.Repeat("x", 8<<10) + "\n"
		for ctx.Err() == nil {
			if _, err := io.WriteString(p.Stdout, line); err != nil {
				break
			}
		}
		return 0
	}
}

func TestAContainerBeyondItsMemory(t *testing.T) {
	f := newFixture(t, func(o *Options) { o.ContainerLimits.Memory = 8 << 20 })
	id, _ := f.start("/bin/hoard")
	st := f.wait(id)
	if st.ExitCode != 137 || st.Reason != "OOMKilled" {
		t.Errorf("exit code %d, reason %s", st.ExitCode, st.Reason)
	}
}

// full is a disk without space.
type full struct{}

func (full) Reserve(int64, int) error { return syscall.ENOSPC }
func (full) Removed()                 {}
func (full) Attributes(_ string, info fs.FileInfo) program.Attributes {
	return program.AttributesOf(info)
}
func (full) SetAttributes(string, fs.FileInfo, program.Attributes) {}

func TestALogOnAFullDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "0.log")
	l := newLogFile(path, full{})
	if err := l.open(); err != nil {
		t.Fatal(err)
	}
	defer l.close()
	if err := l.write([]byte("lost\n")); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("write: %v", err)
	}
}

// TestALogWaitsForItsRotation has a container fill its log as fast as it can: it does not grow
// beyond its bound until it is rotated, and the container can be stopped while it waits.
func TestALogWaitsForItsRotation(t *testing.T) {
	f := newFixture(t)
	id, _ := f.start("/bin/log")
	path := f.status(id).LogPath
	size := func(path string) int64 {
		info, err := os.Stat(path)
		if err != nil {
			return 0
		}
		return info.Size()
	}
	eventually.True(t, "a full log", func() bool { return size(path) >= maxUnrotated })
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	if err := f.ReopenContainerLog(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	eventually.True(t, "a second full log", func() bool { return size(path) >= maxUnrotated })
	if err := f.StopContainer(t.Context(), id, 0); err != nil {
		t.Fatal(err)
	}
	f.wait(id)
	for _, name := range []string{path, path + ".1"} {
		if n := size(name); n > maxUnrotated+1<<20 {
			t.Errorf("%s has %d bytes", filepath.Base(name), n)
		}
	}
}

// TestMountsStayInTheNode gives containers what leads out of the node: by its name, and by a link.
func TestMountsStayInTheNode(t *testing.T) {
	root, machine := t.TempDir(), t.TempDir()
	f := newFixture(t, func(o *Options) { o.NodeRoot, o.RootDir = root, filepath.Join(root, "var/lib/containerd") })
	if err := os.Symlink(machine, filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	sandbox, sc := f.pod()
	for _, outside := range []string{machine, filepath.Join(root, "link")} {
		config := f.containerConfig("main", "/bin/echo")
		config.Mounts = []*runtimeapi.Mount{{ContainerPath: "/mnt", HostPath: outside}}
		if id, err := f.CreateContainer(t.Context(), sandbox, config, sc); err == nil {
			t.Errorf("container %s has %s", id, outside)
		}
	}
}
