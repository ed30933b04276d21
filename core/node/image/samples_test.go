package image

import (
	"io"
	"net/http"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/core/program/programtest"
)

// serving starts what an image starts by itself, or with args, and gives where it listens.
func serving(t *testing.T, ref string, env []string, args ...string) string {
	t.Helper()
	return servingOver(t, programtest.Loopback{At: make(chan string, 1)}, ref, env, args...)
}

// servingOver is serving over a network of the test's.
func servingOver(t *testing.T, network programtest.Loopback, ref string, env []string, args ...string) string {
	t.Helper()
	img, err := Builtins(nil, nil).Resolve(ref)
	if err != nil {
		t.Fatal(err)
	}
	command := slices.Concat(img.Entrypoint, img.Cmd)
	if len(args) > 0 {
		command = args
	}
	root := t.TempDir()
	if err := img.Unpack(root); err != nil {
		t.Fatal(err)
	}
	signals, ended := make(chan program.Signal, 1), make(chan int, 1)
	prog := img.Programs[command[0]]
	if prog == nil { // as a PATH leads to it, or a shell
		for name, one := range img.Programs {
			if strings.HasSuffix(name, "/"+path.Base(command[0])) || len(args) == 0 && strings.Contains(command[len(command)-1], name[strings.LastIndex(name, "/")+1:]+" ") {
				prog = one
			}
		}
		if len(args) == 0 {
			command = strings.Fields(command[len(command)-1])
		}
	}
	if prog == nil {
		t.Fatalf("%s: no program for %q", ref, command)
	}
	p := &program.Process{
		Args: command, Env: slices.Concat(img.Env, env), Dir: img.WorkingDir, PID: 1, Hostname: "pod-7", FS: program.NewFS(root),
		Net: network, Stdout: io.Discard, Stderr: io.Discard, Signals: signals,
	}
	go func() { ended <- prog(t.Context(), p) }()
	t.Cleanup(func() {
		signals <- program.SIGTERM
		select {
		case <-ended:
		case <-time.After(30 * time.Second):
			t.Errorf("%s does not end", ref)
		}
	})
	select {
	case address := <-network.At:
		return address
	case code := <-ended:
		ended <- code
		t.Fatalf("%s ended with %d", ref, code)
	}
	return ""
}

func TestSamples(t *testing.T) {
	for _, c := range []struct {
		ref  string
		args []string
		path string
		want []string
	}{
		{"gcr.io/google-samples/kubernetes-bootcamp:v1", nil, "/", []string{"Hello Kubernetes bootcamp! | Running on: pod-7 | v=1\n"}},
		{"docker.io/jocatt/kubernetes-bootcamp:v2", nil, "/any", []string{"Hello Kubernetes bootcamp! | Running on: pod-7 | v=2\n"}},
		{"gcr.io/google-samples/hello-app:1.0", nil, "/", []string{"Hello, world!\nVersion: 1.0.0\nHostname: pod-7\n"}},
		{"us-docker.pkg.dev/google-samples/containers/gke/hello-app:2.0", nil, "/", []string{"Version: 2.0.0\n"}},
		{"registry.k8s.io/echoserver:1.10", nil, "/a?b=c", []string{"Hostname: pod-7\n", "\tmethod=GET\n", "\tquery=b=c\n", "\tuser-agent=test\n", "-no body in request-"}},
		{"kicbase/echo-server:1.0", nil, "/x", []string{"Request served by pod-7\n\nGET /x HTTP/1.1\n", "User-Agent: test"}},
		{"traefik/whoami:v1.11", nil, "/api", []string{"Hostname: pod-7\nIP: 127.0.0.1\n", "GET /api HTTP/1.1\r\nHost: "}},
		{"hashicorp/http-echo:1.0", []string{"/http-echo", "-text=hi there", "-listen=:8080"}, "/", []string{"hi there\n"}},
		{"ghcr.io/stefanprodan/podinfo:6.1.8", []string{"./podinfo", "--level=debug"}, "/version", []string{"\"version\": \"6.1.8\"\n"}},
		{"stefanprodan/podinfo", []string{"./podinfo", "--level=debug"}, "/", []string{"greetings from podinfo v6."}},
		{"httpd:2.4", nil, "/", []string{"<html><body><h1>It works!</h1></body></html>\n"}},
		{"us-docker.pkg.dev/google-samples/containers/gke/gb-frontend:v5", nil, "/", []string{"<h1>Guestbook</h1>"}},
	} {
		req, err := http.NewRequest(http.MethodGet, "http://"+serving(t, c.ref, nil, c.args...)+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("User-Agent", "test")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(res.Body)
		res.Body.Close()
		for _, want := range c.want {
			if !strings.Contains(string(body), want) {
				t.Errorf("%s: %q has no %q", c.ref, body, want)
			}
		}
	}
}

// TestSamplesHaveTheirTags: a lesson means to fail with a tag that is not there.
func TestSamplesHaveTheirTags(t *testing.T) {
	r := Builtins(nil, nil)
	for _, ref := range []string{
		"gcr.io/google-samples/kubernetes-bootcamp:v10", "jocatt/kubernetes-bootcamp:v3", "gcr.io/google-samples/hello-app:3.0",
		"redis:99", "httpd:3", "memcached:9", "stefanprodan/podinfo:9.0.0", "dexidp/dex:v1.0", "quay.io/dexidp/dex:v3.0.0", "ghcr.io/stefanprodan/podinfo:latets",
		"traefik/whoami:v99", "containous/whoami:2.0", "hashicorp/http-echo:9", "kicbase/echo-server:latets", "registry.k8s.io/hpa-example:v2", "polinux/stress:9",
		"vish/stress:1.0", "registry.k8s.io/e2e-test-images/agnhost:latets", "registry.k8s.io/e2e-test-images/agnhost:3.0", "registry.k8s.io/goproxy:0.2",
		"registry.k8s.io/nginx-slim:1.0", "registry.k8s.io/nginx-slim:0.99", "registry.k8s.io/busybox:9", "registry.k8s.io/busybox:1.36",
	} {
		if _, err := r.Resolve(ref); err == nil || !strings.HasSuffix(err.Error(), "not found") {
			t.Errorf("%s: %v", ref, err)
		}
	}
	for _, ref := range []string{"redis:6.0.5", "redis:7-alpine", "redis:3.2.0-alpine", "httpd:2.4-alpine", "memcached:1.6-alpine", "perl:5.34.0", "perl:latest", "stefanprodan/podinfo:6.14.1", "stefanprodan/podinfo:3.1.0",
		"dexidp/dex", "dexidp/dex:v2.45.1-distroless", "ghcr.io/dexidp/dex:v2.41.1-alpine", "quay.io/dexidp/dex:latest",
		"traefik/whoami", "traefik/whoami:v1.11", "traefik/whoami:v1.10.1", "containous/whoami:v1.5.0", "hashicorp/http-echo:0.2.3", "hashicorp/http-echo:1.0.0", "hashicorp/http-echo:0.2.3-alpine",
		"kicbase/echo-server:1.0", "jmalloc/echo-server:0.3.1", "registry.k8s.io/hpa-example", "k8s.gcr.io/hpa-example:latest", "polinux/stress", "polinux/stress:1.0.4", "vish/stress",
		"registry.k8s.io/e2e-test-images/agnhost:2.40", "registry.k8s.io/e2e-test-images/agnhost:2.63.0", "registry.k8s.io/goproxy:0.1", "k8s.gcr.io/goproxy:0.1",
		"registry.k8s.io/nginx-slim:0.8", "registry.k8s.io/nginx-slim:0.21", "registry.k8s.io/nginx-slim:0.24", "k8s.gcr.io/nginx-slim:0.8",
		"registry.k8s.io/busybox", "registry.k8s.io/busybox:1.24", "registry.k8s.io/busybox:1.27.2", "k8s.gcr.io/busybox",
	} {
		if img, err := r.Resolve(ref); err != nil || !r.Known(img.Ref) {
			t.Errorf("%s: %v", ref, err)
		}
	}
}

// TestDexKnowsItsTag: by what it prints, and its own configuration lies where its command looks for it.
func TestDexKnowsItsTag(t *testing.T) {
	img, err := Builtins(nil, nil).Resolve("ghcr.io/dexidp/dex:v2.41.1-alpine")
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	if err := img.Unpack(root); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	p := &program.Process{
		Args: []string{img.Entrypoint[0], "dex", "version"}, PID: 1, FS: program.NewFS(root), Stdout: &out, Stderr: &out,
		Lookup: func(name string) (program.Program, bool) { return img.Programs["/usr/local/bin/"+name], true },
	}
	if code := img.Programs[img.Entrypoint[0]](t.Context(), p); code != 0 || !strings.HasPrefix(out.String(), "Dex Version: v2.41.1\n") {
		t.Errorf("%d %s", code, out.String())
	}
	if _, err := p.FS.Stat(img.Cmd[len(img.Cmd)-1]); err != nil {
		t.Error(err)
	}
}

// TestPi: the digits are those that everybody knows, and whatever else is asked is told that there is no Perl.
func TestPi(t *testing.T) {
	code, out := run(t, perl, nil, nil, "perl", "-Mbignum=bpi", "-wle", "print bpi(50)")
	if want := "3.1415926535897932384626433832795028841971693993751\n"; code != 0 || out != want {
		t.Errorf("code %d, %q, want %q", code, out, want)
	}
	if code, out = run(t, perl, nil, nil, "perl", "-Mbignum=bpi", "-wle", "print bpi(2000)"); code != 0 || len(out) != 2002 {
		t.Errorf("code %d, %d characters", code, len(out))
	}
	for _, n := range []string{"2", "3", "50", "77", "500"} {
		t.Run("as Debian's says "+n, func(t *testing.T) {
			line := "print bpi(" + n + ")"
			theirs, err := exec.CommandContext(t.Context(), "perl", "-Mbignum=bpi", "-wle", line).Output()
			if err != nil {
				t.Skipf("perl: %v (scripts/setup installs it)", err)
			}
			if _, out := run(t, perl, nil, nil, "perl", "-Mbignum=bpi", "-wle", line); out != string(theirs) {
				t.Errorf("%s: %q, want %q", line, out, theirs)
			}
		})
	}
	for _, line := range []string{"print bpi(99999)", "print 1", `system("rm -rf /")`, "print bpi(-1)"} {
		if code, out = run(t, perl, nil, nil, "perl", "-Mbignum=bpi", "-wle", line); code != 255 || !strings.Contains(out, "no Perl") {
			t.Errorf("%s: %d %q", line, code, out)
		}
	}
}
