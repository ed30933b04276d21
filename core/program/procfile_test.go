package program

import (
	"context"
	"io"
	"os"
	"strings"
	"testing"
)

// TestWhatAProcessReadsOfItself: of /proc/self and of its neighbours' numbers, and of nobody else.
func TestWhatAProcessReadsOfItself(t *testing.T) {
	table := NewTable()
	read := func(p *Process, name string) string {
		f, err := p.Open(name)
		if err != nil {
			return err.Error()
		}
		defer f.Close()
		text, err := io.ReadAll(f)
		if err != nil {
			t.Error(err)
		}
		return string(text)
	}
	p := &Process{
		Args: []string{"/bin/sleep", "1\n2"}, Dir: "/", Stdout: io.Discard, Stderr: io.Discard,
		FS: NewFS(t.TempDir()).As(Credentials{UID: 1000, EUID: 0, GID: 5, EGID: 6, Groups: []int{7, 8}, NoNewPrivileges: true, Bounding: 0xa80425fb}).WithUmask(0o77),
	}
	table.Run(context.Background(), func(ctx context.Context, p *Process) int {
		want := "Name:\tsleep\nUmask:\t0077\nState:\tR (running)\nPid:\t1\nPPid:\t0\nUid:\t1000\t0\t0\t0\nGid:\t5\t6\t6\t6\nGroups:\t7 8 \n" +
			"CapInh:\t0000000000000000\nCapPrm:\t00000000a80425fb\nCapEff:\t00000000a80425fb\nCapBnd:\t00000000a80425fb\nCapAmb:\t0000000000000000\nNoNewPrivs:\t1\n"
		if got := read(p, "/proc/self/status"); got != want {
			t.Errorf("%q", got)
		}
		child := p.Child("grep", "x")
		child.FS = child.FS.As(User(1001, 1001))
		return table.Run(ctx, func(_ context.Context, c *Process) int {
			for name, want := range map[string]string{
				"/proc/self/cmdline": "grep\x00x\x00", "/proc/2/cmdline": "grep\x00x\x00", "/proc/1/cmdline": "/bin/sleep\x001\n2\x00",
				"/proc/self/comm": "grep\n", "/proc/self/cgroup": "0::/\n",
			} {
				if got := read(c, name); got != want {
					t.Errorf("%s: %q", name, got)
				}
			}
			if got := read(c, "/proc/self/status"); !strings.Contains(got, "PPid:\t1\nUid:\t1001\t1001") || !strings.Contains(got, "NoNewPrivs:\t0") {
				t.Errorf("%q", got)
			}
			if got := read(c, "/proc/1/status"); !strings.Contains(got, "State:\tS (sleeping)\nPid:\t1\n") {
				t.Errorf("%q", got)
			}
			for _, name := range []string{"/proc/3/status", "/proc/x/status", "/proc/-1/status", "/proc/self/environ", "/proc/self/../1/status", "/proc/99999999999999999999/comm", "/proc/status"} {
				if got := read(c, name); !strings.Contains(got, "no such file") {
					t.Errorf("%s: %q", name, got)
				}
			}
			if _, err := c.OpenFile("/proc/self/comm", os.O_WRONLY, 0); err == nil {
				t.Error("it is written")
			}
			return 0
		}, child)
	}, p)
}
