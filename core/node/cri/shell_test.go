package cri

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/tools/remotecommand"
	utilexec "k8s.io/utils/exec"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/tabernetes/tabernetes/core/node/image"
	"github.com/tabernetes/tabernetes/core/shell"
	"github.com/tabernetes/tabernetes/scripts/eventually"
)

func withShell(o *Options) { o.Images = image.Builtins(shell.Tools(), nil) }

// runImage starts a container of an image in a pod of its own.
func (f *fixture) runImage(ref string, command ...string) (id, ip string) {
	f.t.Helper()
	sandbox, sc := f.pod()
	id = f.create(sandbox, sc, &runtimeapi.ContainerConfig{
		Metadata: &runtimeapi.ContainerMetadata{Name: "main"}, LogPath: "main/0.log",
		Image: &runtimeapi.ImageSpec{Image: f.pull(ref), UserSpecifiedImage: ref}, Command: command,
	})
	if err := f.StartContainer(f.t.Context(), id); err != nil {
		f.t.Fatalf("start %s: %v", ref, err)
	}
	return id, f.sandboxStatus(sandbox).Network.Ip
}

// What users do with the images that they know.
func TestBuiltinImages(t *testing.T) {
	f := newFixture(t, withShell)
	web, ip := f.runImage("nginx")
	eventually.True(t, "nginx", func() bool { _, e := f.log(web, false); return strings.Contains(e, "start worker") })
	box, _ := f.runImage("busybox:1.36", "sleep", "3600")
	for _, c := range []struct {
		id     string
		script string
		want   string
		code   int
	}{
		{box, "echo $((6*7)); exit 7", "42\n", 7},
		{box, "for i in a b; do printf '%s-' $i; done | tr - .", "a.b.", 0},
		{box, "wget -qO- http://" + ip + "/ | grep -c '<h1>Welcome to nginx!</h1>'", "1\n", 0},
		{box, "wget -qO- http://" + ip + "/nosuch", "", 1},
		{box, "cat /etc/hostname; hostname", "pod2\npod2\n", 0},
		{box, "echo x > /tmp/f && cat /tmp/f && ls /tmp", "x\nf\n", 0},
		{box, "which ls cat", "/bin/ls\n/bin/cat\n", 0},
		{box, "/bin/echo hi; busybox echo ho", "hi\nho\n", 0},
		{box, "cp /bin/busybox /tmp/ls && cd / && /tmp/ls -d /etc", "/etc\n", 0},
		{box, "touch /bin/x", "", 1},
		{box, "printf '#!/bin/sh\necho script $1\n' > /tmp/s; chmod +x /tmp/s; /tmp/s one", "script one\n", 0},
		{box, "nosuchcommand", "", 127},
		{web, "ls /usr/share/nginx/html", "50x.html\nindex.html\n", 0},
		{web, "nginx -v; nginx -t && echo fine", "fine\n", 0},
		{web, "echo changed > /usr/share/nginx/html/index.html; wget -qO- http://localhost", "changed\n", 0},
		{web, "cat /etc/os-release | head -1", "NAME=\"Debian GNU/Linux\"\n", 0},
	} {
		out, errOut, err := f.ExecSync(t.Context(), c.id, []string{"sh", "-c", c.script}, 30*time.Second)
		code := 0
		var exit utilexec.ExitError
		if errors.As(err, &exit) {
			code = exit.ExitStatus()
		} else if err != nil {
			t.Errorf("%s: %v", c.script, err)
		}
		if string(out) != c.want || code != c.code {
			t.Errorf("%s: %q, code %d, want %q, %d; stderr %s", c.script, out, code, c.want, c.code, errOut)
		}
	}
	hello, _ := f.runImage("hello-world")
	if st := f.wait(hello); st.ExitCode != 0 {
		t.Errorf("hello-world: %+v", st)
	}
	for ref, args := range map[string][]string{
		"curlimages/curl:8.10.1": {"-s", "http://" + ip + "/50x.html"},
		"someone/unknown":        {"wget", "-qO-", "http://" + ip + "/50x.html"},
	} {
		sandbox, sc := f.pod()
		id := f.create(sandbox, sc, &runtimeapi.ContainerConfig{
			Metadata: &runtimeapi.ContainerMetadata{Name: "main"}, LogPath: "0.log",
			Image: &runtimeapi.ImageSpec{Image: f.pull(ref)}, Args: args,
		})
		if err := f.StartContainer(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		if st := f.wait(id); st.ExitCode != 0 {
			t.Errorf("%s: %+v", ref, st)
		}
		if out, _ := f.log(id, false); !strings.Contains(out, "This page cannot be shown now.") {
			t.Errorf("%s: %q", ref, out)
		}
	}
	for _, ref := range []string{"alpine:3.20", "debian:12-slim", "ubuntu:24.04"} {
		id, _ := f.runImage(ref)
		if st := f.wait(id); st.ExitCode != 0 { // a shell without input
			t.Errorf("%s: %+v", ref, st)
		}
	}
}

// A shell's loop is killed after the grace of its stop; process 1 ignores SIGTERM.
func TestShellLoopStops(t *testing.T) {
	f := newFixture(t, withShell)
	id, _ := f.runImage("busybox", "sh", "-c", "i=0; while true; do i=$((i+1)); echo $i; sleep 0.01; done")
	eventually.True(t, "a few turns", func() bool { out, _ := f.log(id, false); return strings.Contains(out, "3\n") })
	if err := f.StopContainer(t.Context(), id, 1); err != nil {
		t.Fatal(err)
	}
	if st := f.status(id); st.ExitCode != 137 {
		t.Errorf("%+v", st)
	}
	id, _ = f.runImage("busybox", "sh", "-c", "trap 'echo bye; exit 5' TERM; echo ready; sleep 1000 & wait")
	eventually.True(t, "the trap", func() bool { out, _ := f.log(id, false); return out == "ready\n" })
	if err := f.StopContainer(t.Context(), id, 20); err != nil {
		t.Fatal(err)
	}
	if st := f.status(id); st.ExitCode != 5 {
		t.Errorf("with a trap: %+v", st)
	}
	if out, _ := f.log(id, false); out != "ready\nbye\n" {
		t.Errorf("log %q", out)
	}
}

func TestInteractiveShell(t *testing.T) {
	f := newFixture(t, withShell)
	id, _ := f.runImage("busybox", "sleep", "3600")
	resp, err := f.Exec(t.Context(), &runtimeapi.ExecRequest{ContainerId: id, Cmd: []string{"sh"}, Stdin: true, Stdout: true, Tty: true})
	if err != nil {
		t.Fatal(err)
	}
	var out screen
	keys, typist := io.Pipe()
	win := window{make(chan remotecommand.TerminalSize, 1)}
	win.size <- remotecommand.TerminalSize{Width: 100, Height: 30}
	done := make(chan error, 1)
	go func() {
		done <- client(t, "SPDY", resp.Url).StreamWithContext(t.Context(), remotecommand.StreamOptions{
			Stdin: keys, Stdout: &out, Tty: true, TerminalSizeQueue: win})
	}()
	shows := func(text string) {
		t.Helper()
		eventually.True(t, fmt.Sprintf("%q in %q", text, out.String()), func() bool { return strings.Contains(out.String(), text) })
	}
	shows("/ ")
	io.WriteString(typist, "echo one$((1+1))three\r")
	shows("one2three\r\n")
	io.WriteString(typist, "sleep 1000\r")
	time.Sleep(200 * time.Millisecond) // a ^C before the command began would clear the line only
	io.WriteString(typist, "\x03")
	io.WriteString(typist, "echo still $?\r")
	shows("still 130\r\n")
	io.WriteString(typist, "cat\r")
	time.Sleep(100 * time.Millisecond)
	io.WriteString(typist, "typed\r\x04")
	shows("typed\r\ntyped\r\n")
	io.WriteString(typist, "exit 9\r")
	var exit utilexec.ExitError
	if err := <-done; !errors.As(err, &exit) || exit.ExitStatus() != 9 {
		t.Errorf("exit: %v\n%s", err, out.String())
	}
	typist.Close()
	close(win.size)
}
