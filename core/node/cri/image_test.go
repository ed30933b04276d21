package cri

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/tabernetes/tabernetes/core/node/image"
	"github.com/tabernetes/tabernetes/core/program"
	"github.com/tabernetes/tabernetes/scripts/eventually"
)

func imageNamed(image string) *runtimeapi.ImageSpec { return &runtimeapi.ImageSpec{Image: image} }

func (f *fixture) imageStatus(ref string) *runtimeapi.Image {
	f.t.Helper()
	resp, err := f.ImageStatus(f.t.Context(), imageNamed(ref), true)
	if err != nil {
		f.t.Fatal(err)
	}
	return resp.Image
}

// TestAStandInGivesWay: what was pulled before a page has defined the image is not what a node has of it.
func TestAStandInGivesWay(t *testing.T) {
	f := newFixture(t)
	standIn := f.pull("mine:v1")
	main := func(context.Context, *program.Process) int { return 0 }
	if err := f.opts.Images.Define(image.Definition{Name: "mine", Main: main}, nil); err != nil {
		t.Fatal(err)
	}
	if img := f.imageStatus("mine:v1"); img != nil {
		t.Errorf("the node still has %s", img.Id)
	}
	if id := f.pull("mine:v1"); id == standIn || f.imageStatus("mine:v1").Id != id {
		t.Errorf("pulled anew it is %s, and was %s", id, standIn)
	}
}

func TestImages(t *testing.T) {
	f := newFixture(t)
	if f.imageStatus("nginx") != nil {
		t.Error("there before it is pulled")
	}
	id := f.pull("nginx:1.29.1")
	if again := f.pull("docker.io/library/nginx:1.29.1"); again != id {
		t.Errorf("pulled again: %s, then %s", id, again)
	}
	f.pull("nginx:1.28")
	f.pull("registry.k8s.io/pause:3.10")
	digest := f.imageStatus("nginx:1.29.1").RepoDigests[0]
	for _, ref := range []string{"nginx:1.29.1", id, strings.TrimPrefix(id, "sha256:"), digest} {
		img := f.imageStatus(ref)
		if img == nil || img.Id != id || fmt.Sprint(img.RepoTags) != "[docker.io/library/nginx:1.29.1]" || img.Size == 0 || img.Pinned {
			t.Errorf("%s: %+v", ref, img)
		}
	}
	if img := f.imageStatus("registry.k8s.io/pause:3.10"); img.GetUid().GetValue() != 65535 || !img.Pinned {
		t.Errorf("pause: %+v", img)
	}
	for ref, want := range map[string]codes.Code{
		"nginx:does-not-exist": codes.NotFound, "nonexistent": codes.Unknown, "reg.invalid/x": codes.Unknown, "No Name": codes.InvalidArgument,
	} {
		_, err := f.PullImage(t.Context(), imageNamed(ref), nil, nil)
		wantCode(t, "pull "+ref, err, want)
	}
	list, err := f.ListImages(t.Context(), nil)
	if err != nil || len(list) != 3 {
		t.Errorf("list: %v, %v", list, err)
	}
	list, _ = f.ListImages(t.Context(), &runtimeapi.ImageFilter{Image: imageNamed("nginx:1.28")})
	if len(list) != 1 || list[0].RepoTags[0] != "docker.io/library/nginx:1.28" {
		t.Errorf("filtered: %v", list)
	}
	for range 2 {
		if err := f.RemoveImage(t.Context(), imageNamed(id)); err != nil {
			t.Fatal(err)
		}
	}
	if f.imageStatus("nginx:1.29.1") != nil || f.imageStatus("nginx:1.28") == nil {
		t.Error("removing one tag took another, or not itself")
	}
}

func TestDiskUsageIsMeasured(t *testing.T) {
	f := newFixture(t)
	sandbox, sc := f.pod()
	config := f.containerConfig("c", "forever")
	config.Linux = asRoot()
	id := f.create(sandbox, sc, config)
	if err := f.StartContainer(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	c, _ := f.container(id)
	before, err := f.ImageFsInfo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if used := before.ImageFilesystems[0].UsedBytes.Value; used != f.imageStatus("test").Size {
		t.Errorf("images take %d bytes, the one that is there %d", used, f.imageStatus("test").Size)
	}
	layer := func() (bytes, inodes uint64) {
		c.usage.at = time.Time{} // measure now
		st, err := f.ContainerStats(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if st.Cpu.UsageCoreNanoSeconds == nil || st.Memory.WorkingSetBytes == nil || st.WritableLayer.Timestamp == 0 {
			t.Errorf("stats: %+v", st)
		}
		return st.WritableLayer.UsedBytes.Value, st.WritableLayer.InodesUsed.Value
	}
	if bytes, inodes := layer(); bytes != 0 || inodes != 0 {
		t.Errorf("a fresh container wrote %d bytes in %d files", bytes, inodes)
	}
	if _, _, err := f.ExecSync(t.Context(), id, []string{"write", "/new", strings.Repeat("x", 12345)}, 0); err != nil {
		t.Fatal(err)
	}
	if bytes, inodes := layer(); bytes != 12345 || inodes != 1 {
		t.Errorf("after a file of 12345 bytes: %d bytes in %d files", bytes, inodes)
	}
	after, err := f.ImageFsInfo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if grown := after.ContainerFilesystems[0].UsedBytes.Value - before.ContainerFilesystems[0].UsedBytes.Value; grown != 12345 {
		t.Errorf("the containers' file system grew by %d bytes", grown)
	}
	for _, list := range []func() (int, error){
		func() (int, error) { l, err := f.ListContainerStats(t.Context(), nil); return len(l), err },
		func() (int, error) { l, err := f.ListPodSandboxStats(t.Context(), nil); return len(l), err },
		func() (int, error) { l, err := f.ListPodSandboxMetrics(t.Context()); return len(l), err },
	} {
		if n, err := list(); n != 1 || err != nil {
			t.Errorf("%d entries, %v", n, err)
		}
	}
}

// nginx as its users know it, through the runtime.
func TestNginx(t *testing.T) {
	f := newFixture(t)
	html := t.TempDir()
	for name, text := range map[string]string{"index.html": "mine\n", "sub/index.html": "sub\n", "data.json": "{}", "blob.unknown": "0123456789"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(html, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(html, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(html, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	run := func(mounts ...*runtimeapi.Mount) (id, ip string) {
		sandbox, sc := f.pod()
		config := f.containerConfig("nginx")
		config.Image, config.Mounts = imageNamed(f.pull("nginx:1.29.1")), mounts
		id = f.create(sandbox, sc, config)
		if err := f.StartContainer(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		eventually.True(t, "start", func() bool { _, e := f.log(id, false); return strings.Contains(e, "start worker processes") })
		return id, f.sandboxStatus(sandbox).Network.Ip
	}
	var web http.Client
	web.Transport = &http.Transport{DialContext: dialContext, DisableKeepAlives: true}
	web.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	get := func(method, url string, header ...string) (*http.Response, string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(header); i += 2 {
			req.Header.Set(header[i], header[i+1])
		}
		req.Header.Set("User-Agent", "test/1")
		resp, err := web.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		return resp, string(body)
	}

	id, ip := run()
	resp, body := get("GET", "http://"+ip+"/")
	if resp.StatusCode != 200 || !strings.Contains(body, "<title>Welcome to nginx!</title>") || resp.Header.Get("Server") != "nginx/1.29.1" ||
		resp.Header.Get("Content-Type") != "text/html" || resp.Header.Get("Accept-Ranges") != "bytes" || resp.Header.Get("ETag") == "" {
		t.Errorf("welcome: %d %v\n%s", resp.StatusCode, resp.Header, body)
	}
	if resp, _ := get("GET", "http://"+ip+"/", "If-None-Match", resp.Header.Get("ETag")); resp.StatusCode != 304 {
		t.Errorf("not modified: %d", resp.StatusCode)
	}
	get("GET", "http://"+ip+"/nosuch?a=b", "Referer", "http://here/", "X-Forwarded-For", "9.9.9.9")
	line := regexp.MustCompile(`(?m)^\d+\.\d+\.\d+\.\d+ - - \[\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d \+0000\] "GET /nosuch\?a=b HTTP/1\.1" 404 \d+ "http://here/" "test/1" "9\.9\.9\.9"$`)
	eventually.True(t, "the access log", func() bool { out, _ := f.log(id, false); return line.MatchString(out) })
	start := time.Now()
	if err := f.StopContainer(t.Context(), id, 30); err != nil {
		t.Fatal(err)
	}
	if st := f.status(id); st.ExitCode != 0 || st.StopSignal != runtimeapi.Signal_SIGQUIT || time.Since(start) > 5*time.Second {
		t.Errorf("stop took %s: %+v", time.Since(start), st)
	}

	id, ip = run(&runtimeapi.Mount{ContainerPath: "/usr/share/nginx/html", HostPath: html, Readonly: true})
	for _, c := range []struct {
		method, path string
		header       []string
		code         int
		kind, body   string
	}{
		{"GET", "/", nil, 200, "text/html", "mine\n"},
		{"HEAD", "/", nil, 200, "text/html", ""},
		{"GET", "/index.html", nil, 200, "text/html", "mine\n"},
		{"GET", "/sub/", nil, 200, "text/html", "sub\n"},
		{"GET", "/data.json", nil, 200, "application/json", "{}"},
		{"GET", "/blob.unknown", []string{"Range", "bytes=2-4"}, 206, "application/octet-stream", "234"},
		{"GET", "/../../../etc/passwd", nil, 404, "text/html", "404 Not Found"},
		{"GET", "/nosuch", nil, 404, "text/html", "<center><h1>404 Not Found</h1></center>"},
		{"GET", "/index.html/", nil, 404, "text/html", "404 Not Found"},
		{"GET", "/empty/", nil, 403, "text/html", "<center><h1>403 Forbidden</h1></center>"},
		{"GET", "/sub", nil, 301, "text/html", "301 Moved Permanently"},
		{"POST", "/", nil, 405, "text/html", "405 Not Allowed"},
	} {
		resp, body := get(c.method, "http://"+ip+c.path, c.header...)
		if resp.StatusCode != c.code || resp.Header.Get("Content-Type") != c.kind || !strings.Contains(body, c.body) {
			t.Errorf("%s %s: %d %s\n%s", c.method, c.path, resp.StatusCode, resp.Header.Get("Content-Type"), body)
		}
		if c.code == 301 && resp.Header.Get("Location") != "http://"+ip+"/sub/" {
			t.Errorf("location %s", resp.Header.Get("Location"))
		}
	}
	if err := f.StopContainer(t.Context(), id, 0); err != nil {
		t.Fatal(err)
	}
}

// dialContext makes http.Transport use the in-memory network on js, too.
func dialContext(ctx context.Context, network, address string) (net.Conn, error) {
	var d net.Dialer
	return d.DialContext(ctx, network, address)
}
