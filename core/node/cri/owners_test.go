package cri

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	utilexec "k8s.io/utils/exec"

	"github.com/tabernetes/tabernetes/core/node/nodefs"
)

// asUser is a container's security context.
func asUser(uid, gid int64, groups ...int64) *runtimeapi.LinuxContainerSecurityContext {
	return &runtimeapi.LinuxContainerSecurityContext{
		RunAsUser: &runtimeapi.Int64Value{Value: uid}, RunAsGroup: &runtimeapi.Int64Value{Value: gid}, SupplementalGroups: groups,
	}
}

// TestFilesHaveOwners shares a volume between containers of different users and has each try what
// Linux would let it, and what not. The kubelet's own changes to the volume count.
func TestFilesHaveOwners(t *testing.T) {
	root := t.TempDir()
	volume := filepath.Join(root, "volume")
	if err := os.Mkdir(volume, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(volume, 0o777); err != nil { // as the kubelet makes an emptyDir
		t.Fatal(err)
	}
	f := newFixture(t, withShell, func(o *Options) {
		o.RootDir, o.NodeRoot = filepath.Join(root, "containerd"), root
		o.Disk = nodefs.New(root, nodefs.Sized(64<<20), nil)
	})
	start := func(sc *runtimeapi.LinuxContainerSecurityContext) string {
		sandbox, config := f.pod()
		id := f.create(sandbox, config, &runtimeapi.ContainerConfig{
			Metadata: &runtimeapi.ContainerMetadata{Name: "main"}, LogPath: "main/0.log",
			Image:   &runtimeapi.ImageSpec{Image: f.pull("busybox"), UserSpecifiedImage: "busybox"},
			Command: []string{"sleep", "3600"},
			Mounts:  []*runtimeapi.Mount{{ContainerPath: "/vol", HostPath: volume}},
			Linux:   &runtimeapi.LinuxContainerConfig{SecurityContext: sc},
		})
		if err := f.StartContainer(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		return id
	}
	zero, one, two := start(asUser(0, 0)), start(asUser(1000, 3000, 2000)), start(asUser(1001, 1001, 2000))
	for _, c := range []struct {
		in     string
		script string
		want   string // standard output, then standard error
	}{
		{zero, "id; whoami", "uid=0(root) gid=0(root) groups=0(root)\nroot\n"},
		{one, "id; id -u; id -g; id -G; whoami", "uid=1000 gid=3000 groups=3000,2000\n1000\n3000\n3000 2000\nwhoami: unknown uid 1000\n"},
		{one, "id nobody; id -un nobody", "uid=65534(nobody) gid=65534(nogroup) groups=65534(nogroup)\nnobody\n"},

		// What is made belongs to who made it, and its mode is the umask's.
		{one, "echo mine > /vol/f; mkdir /vol/d; stat -c '%u %g %a' /vol/f /vol/d", "1000 3000 644\n1000 3000 755\n"},
		{one, "umask; umask 077; echo x > /vol/secret; stat -c %a /vol/secret; (umask 0; umask); umask", "0022\n600\n0000\n0077\n"},
		{two, "cat /vol/f; cat /vol/secret", "mine\ncat: can't open '/vol/secret': Permission denied\n"},
		{two, "echo x > /vol/f", "sh: can't create /vol/f: Permission denied\n"},
		{two, "echo x > /vol/d/new", "sh: can't create /vol/d/new: Permission denied\n"},
		{two, "rm -f /vol/d/none; mkdir /vol/d/e", "mkdir: can't create directory '/vol/d/e': Permission denied\n"},
		{zero, "cat /vol/secret; echo root > /vol/d/new; stat -c %u /vol/d/new", "x\n0\n"},
		{one, "ls -ln /vol/d/new | cut -c1-35", "-rw-r--r--    1 0        0         \n"},
		{one, "rm /vol/d/new; ls /vol/d", ""}, // of the directory's owner

		// chmod, chown: whose it is, and root.
		{two, "chmod 777 /vol/f; chown 1001 /vol/f", "chmod: /vol/f: Operation not permitted\nchown: /vol/f: Operation not permitted\n"},
		{one, "chown 1001 /vol/f; chgrp 2000 /vol/f && chmod 060 /vol/f; stat -c '%u %g %a' /vol/f", "1000 2000 60\nchown: /vol/f: Operation not permitted\n"},
		{one, "cat /vol/f", "cat: can't open '/vol/f': Permission denied\n"}, // the owner's bits count, not the group's
		{two, "cat /vol/f; [ -r /vol/f ] && echo r; [ -w /vol/f ] && echo w; [ -x /vol/f ] || echo no x", "mine\nr\nw\nno x\n"},
		{zero, "chown -R nobody:nogroup /vol/d; chmod 700 /vol/d; stat -c '%U %G %A' /vol/d", "nobody nogroup drwx------\n"},
		{one, "ls /vol/d; cd /vol/d; cat /vol/d/none", "ls: can't open '/vol/d': Permission denied\nsh: cd: can't cd to /vol/d: Permission denied\ncat: can't open '/vol/d/none': Permission denied\n"},

		// A directory with the group's bit hands its group on; a sticky one keeps what is another's.
		{zero, "mkdir /vol/shared; chown 0:2000 /vol/shared; chmod 3777 /vol/shared; stat -c '%A %a' /vol/shared", "drwxrwsrwt 3777\n"},
		{one, "echo x > /vol/shared/f; mkdir /vol/shared/d; stat -c '%g %a' /vol/shared/f /vol/shared/d", "2000 644\n2000 2755\n"},
		{two, "rm -f /vol/shared/f; mv /vol/shared/f /vol/shared/g; ls /vol/shared", "d\nf\nrm: can't remove '/vol/shared/f': Operation not permitted\nmv: can't rename '/vol/shared/f': Operation not permitted\n"},

		// The image's own files are root's.
		{one, "echo x > /etc/passwd; echo x > /tmp/fine; stat -c '%u %a' /tmp /tmp/fine", "0 1777\n1000 644\nsh: can't create /etc/passwd: Permission denied\n"},
		{one, "cp /bin/busybox /tmp/ls; chmod 600 /tmp/ls; /tmp/ls /; chmod 700 /tmp/ls; /tmp/ls -d /tmp", "/tmp\nsh: /tmp/ls: Permission denied\n"},

		// A program with the bit runs as whose it is.
		{zero, "cp /bin/busybox /vol/id; chmod 4755 /vol/id; stat -c %A /vol/id; /vol/id -u", "-rwsr-xr-x\n0\n"},
		{one, "/vol/id; /vol/id -ru", "uid=1000 gid=3000 euid=0(root) groups=3000,2000\n1000\n"},
		{zero, "chown 7 /vol/id; stat -c '%u %a' /vol/id", "7 755\n"}, // nobody is given another's
	} {
		out, errOut, err := f.ExecSync(t.Context(), c.in, []string{"sh", "-c", c.script}, 30*time.Second)
		if exit := utilexec.ExitError(nil); err != nil && !errors.As(err, &exit) {
			t.Errorf("%s: %v", c.script, err)
		}
		if got := string(out) + string(errOut); got != c.want {
			t.Errorf("%s:\n%swant\n%s", c.script, got, c.want)
		}
	}

	// allowPrivilegeEscalation: false.
	if _, _, err := f.ExecSync(t.Context(), zero, []string{"sh", "-c", "chown 0 /vol/id; chmod 4755 /vol/id"}, 30*time.Second); err != nil {
		t.Fatal(err)
	}
	sc := asUser(1000, 1000)
	sc.NoNewPrivs = true
	if out, _, err := f.ExecSync(t.Context(), start(sc), []string{"/vol/id", "-u"}, 30*time.Second); err != nil || string(out) != "1000\n" {
		t.Errorf("without new privileges: %s, %v", out, err)
	}
	nnp := func(noNewPrivs bool) string {
		sc := asUser(1000, 1000)
		sc.NoNewPrivs = noNewPrivs
		sandbox, config := f.pod()
		ref := "registry.k8s.io/e2e-test-images/nonewprivs:1.3"
		id := f.create(sandbox, config, &runtimeapi.ContainerConfig{
			Metadata: &runtimeapi.ContainerMetadata{Name: "main"}, LogPath: "main/0.log",
			Image: &runtimeapi.ImageSpec{Image: f.pull(ref), UserSpecifiedImage: ref},
			Linux: &runtimeapi.LinuxContainerConfig{SecurityContext: sc},
		})
		if err := f.StartContainer(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		f.wait(id)
		out, _ := f.log(id, false)
		return out
	}
	if with, without := nnp(false), nnp(true); !strings.Contains(with, "Effective uid: 0") || !strings.Contains(without, "Effective uid: 1000") {
		t.Errorf("an image's set-user-ID program: %q, without new privileges %q", with, without)
	}
	// No file of a pod is another's, or a program with more rights, to the machine.
	info, err := os.Stat(filepath.Join(volume, "id"))
	if err != nil || info.Mode()&(os.ModeSetuid|os.ModeSetgid|os.ModeSticky) != 0 {
		t.Errorf("on the machine: %v, %v", info.Mode(), err)
	}
	// The kubelet's own word is the last: it gives the volume to a group.
	if err := os.Chmod(filepath.Join(volume, "secret"), 0o664); err != nil {
		t.Fatal(err)
	}
	if out, errOut, err := f.ExecSync(t.Context(), two, []string{"cat", "/vol/secret"}, 30*time.Second); err != nil || string(out) != "x\n" {
		t.Errorf("after the kubelet's chmod: %s%s, %v", out, errOut, err)
	}
}
