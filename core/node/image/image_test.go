package image

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/program"
)

func nothing(context.Context, *program.Process) int { return 0 }

var testTools = map[string]program.Program{"sh": nothing, "cat": nothing}

func TestReferences(t *testing.T) {
	r := Builtins(testTools, nil)
	sha := "sha256:" + strings.Repeat("ab", 32)
	for text, want := range map[string]string{
		"nginx":                              "docker.io/library/nginx:latest",
		"nginx:latest":                       "docker.io/library/nginx:latest",
		"docker.io/nginx:1.27":               "docker.io/library/nginx:1.27",
		"index.docker.io/library/nginx:1.27": "docker.io/library/nginx:1.27",
		"busybox:1.28":                       "docker.io/library/busybox:1.28",
		"registry.k8s.io/pause:3.10":         "registry.k8s.io/pause:3.10",
		"ghcr.io/someone/thing":              "ghcr.io/someone/thing:latest",
		"localhost:5000/app:v1":              "localhost:5000/app:v1",
		"someone/app:2024-01-02_build.7":     "docker.io/someone/app:2024-01-02_build.7",
		"nginx@" + sha:                       "docker.io/library/nginx@" + sha,
		"nginx:9.9.9@" + sha:                 "docker.io/library/nginx@" + sha,
	} {
		img, err := r.Resolve(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := img.Ref.String(); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
	for text, want := range map[string]error{
		"":                                ErrInvalid,
		"Nginx":                           ErrInvalid,
		"nginx:":                          ErrInvalid,
		"nginx:la test":                   ErrInvalid,
		"@@":                              ErrInvalid,
		"nginx:does-not-exist":            ErrNotFound,
		"nginx:nope":                      ErrNotFound,
		"nginx:1.161":                     ErrNotFound,
		"nginx:1.91":                      ErrNotFound,
		"nginx:2.0":                       ErrNotFound,
		"someone/app:nonexistent":         ErrNotFound,
		"webserver:404":                   ErrNotFound,
		"nonexistent":                     ErrDenied,
		"someone/no-such-image:v1":        ErrDenied,
		"doesnotexist:latest":             ErrDenied,
		"registry.invalid/app":            ErrNoHost,
		"registry.example.com/app:v1":     ErrNoHost,
		"private.registry.test:5000/a/b":  ErrNoHost,
		"invalid.registry.k8s.io/pause:3": ErrNoHost,
	} {
		if _, err := r.Resolve(text); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
	}
}

// The words by which containerd's users search.
func TestErrorsInContainerdsWords(t *testing.T) {
	r := Builtins(testTools, nil)
	for text, want := range map[string]string{
		"nginx:does-not-exist": `failed to pull and unpack image "docker.io/library/nginx:does-not-exist": ` +
			`failed to resolve reference "docker.io/library/nginx:does-not-exist": docker.io/library/nginx:does-not-exist: not found`,
		"nonexistent": `failed to pull and unpack image "docker.io/library/nonexistent:latest": failed to resolve reference ` +
			`"docker.io/library/nonexistent:latest": pull access denied, repository does not exist or may require authorization: ` +
			`server message: insufficient_scope: authorization failed`,
		"reg.example.com/team/app:v1": `failed to pull and unpack image "reg.example.com/team/app:v1": failed to resolve reference ` +
			`"reg.example.com/team/app:v1": failed to do request: Head "https://reg.example.com/v2/team/app/manifests/v1": ` +
			`dial tcp: lookup reg.example.com: no such host`,
	} {
		if _, err := r.Resolve(text); err == nil || err.Error() != want {
			t.Errorf("%s:\n got %v\nwant %s", text, err, want)
		}
	}
}

func TestTags(t *testing.T) {
	r := Builtins(testTools, nil)
	for name, tags := range map[string]string{
		"nginx":                 "latest stable mainline alpine perl 1 1.29 1.29.4 1.14.2 1.7.9 1.27.3-alpine-slim 1.25-alpine3.18 stable-alpine 1.21.6-perl mainline-bookworm alpine-slim stable-trixie-otel",
		"busybox":               "latest stable 1 1.28 1.36.1 1.37-musl 1.35.0-uclibc glibc",
		"alpine":                "latest edge 3 3.19 3.20.3",
		"debian":                "latest 12 12-slim 12.5 bookworm bookworm-slim bookworm-20240612-slim stable-backports",
		"ubuntu":                "latest 22.04 24.04 jammy noble-20240605",
		"registry.k8s.io/pause": "3.10 3.9 3.1 3.10.1",
		"hello-world":           "latest linux",
	} {
		for tag := range strings.FieldsSeq(tags) {
			if _, err := r.Resolve(name + ":" + tag); err != nil {
				t.Errorf("%s:%s: %v", name, tag, err)
			}
		}
	}
	for name, tags := range map[string]string{
		"nginx":                 "v2 1.100 1.161 1.91 0.1 2.1 latests lates stable1x alpine-typo 1.29-windows 1..2 1.2.3.4.5 20240612 bad wrong-tag",
		"busybox":               "2 1.99 1.136 edge lastest",
		"alpine":                "4 2.0.x stable",
		"debian":                "14x 99 bookwrm",
		"ubuntu":                "22.4.5.6.7 99.04 latest1",
		"registry.k8s.io/pause": "4.0 3.99 nope",
	} {
		for tag := range strings.FieldsSeq(tags) {
			if _, err := r.Resolve(name + ":" + tag); !errors.Is(err, ErrNotFound) {
				t.Errorf("%s:%s: %v, want not found", name, tag, err)
			}
		}
	}
}

func TestIdentityIsAFunctionOfTheReference(t *testing.T) {
	digest := regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)
	ids := map[string]string{}
	for _, text := range []string{"nginx", "nginx:1.27", "nginx:1.28", "busybox", "someone/app", "someone/app:v2"} {
		a, err := Builtins(testTools, nil).Resolve(text)
		if err != nil {
			t.Fatal(err)
		}
		b, err := Builtins(testTools, nil).Resolve(a.Ref.String())
		if err != nil {
			t.Fatal(err)
		}
		if a.ID != b.ID || a.Digest != b.Digest || a.Size != b.Size {
			t.Errorf("%s differs between registries", text)
		}
		if !digest.MatchString(a.ID) || !digest.MatchString(a.Digest) || a.ID == a.Digest || a.Size <= 0 {
			t.Errorf("%s: id %s, digest %s, size %d", text, a.ID, a.Digest, a.Size)
		}
		if other, dup := ids[a.ID]; dup {
			t.Errorf("%s and %s have one id", text, other)
		}
		ids[a.ID] = text
		if want := a.Ref.Name + "@" + a.Digest; a.RepoDigest() != want {
			t.Errorf("repo digest %s, want %s", a.RepoDigest(), want)
		}
	}
	sha := "sha256:" + strings.Repeat("cd", 32)
	img, err := Builtins(testTools, nil).Resolve("nginx@" + sha)
	if err != nil {
		t.Fatal(err)
	}
	if img.Digest != sha || img.RepoTag() != "" {
		t.Errorf("by digest: %s, tag %q", img.Digest, img.RepoTag())
	}
}

func TestUsers(t *testing.T) {
	for user, want := range map[string]string{
		"": "- ", "0": "0 ", "65535:65535": "65535 ", "nginx": "- nginx", "www-data:www": "- www-data",
	} {
		img := &Resolved{Image: &Image{User: user}}
		got := "- "
		if uid, ok := img.UID(); ok {
			got = fmt.Sprintf("%d ", uid)
		}
		if got += img.Username(); got != want {
			t.Errorf("user %q: %q, want %q", user, got, want)
		}
	}
}

func TestRegister(t *testing.T) {
	r := NewRegistry()
	if _, err := r.Resolve("anything"); !errors.Is(err, ErrNotFound) {
		t.Errorf("an empty registry has images: %v", err)
	}
	known := Builtins(nil, nil)
	known.RefuseUnknown()
	if _, err := known.Resolve("acme/shop:2"); !errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), "docker.io/acme/shop:2: not found: the tab does not have this image") {
		t.Errorf("without stand-ins: %v", err)
	}
	if _, err := known.Resolve("nginx"); err != nil {
		t.Error(err)
	}
	if err := r.Register(Image{Names: []string{"Bad Name"}}); !errors.Is(err, ErrInvalid) {
		t.Errorf("register a bad name: %v", err)
	}
	img := Image{Names: []string{"lesson/app", "ghcr.io/lesson/app"}, Cmd: []string{"/app"}, Programs: map[string]program.Program{"/app": nothing}}
	if err := r.Register(img); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"lesson/app", "ghcr.io/lesson/app:v7"} {
		got, err := r.Resolve(text)
		if err != nil {
			t.Fatal(err)
		}
		if !r.Known(got.Ref) || got.Cmd[0] != "/app" {
			t.Errorf("%s: %+v", text, got.Image)
		}
	}
	// Whoever registers again changes what comes, not what is there.
	before, _ := r.Resolve("lesson/app")
	img.Cmd = []string{"/app", "--new"}
	if err := r.Register(img); err != nil {
		t.Fatal(err)
	}
	after, _ := r.Resolve("lesson/app")
	if len(before.Cmd) != 1 || len(after.Cmd) != 2 || before.ID == after.ID {
		t.Errorf("before %v, after %v", before.Cmd, after.Cmd)
	}
}

func TestUnpack(t *testing.T) {
	r := NewRegistry()
	if err := r.Register(Image{
		Names: []string{"x"},
		Files: map[string]File{
			"/etc/motd":     Text("hi\n"),
			"/etc/cron.d/a": {Data: []byte("a"), Mode: 0o600},
			"/tmp":          {Mode: modeTmp},
			"/srv":          Dir(0o700),
			"/srv/.profile": Text("p"),
			"/bin/link":     Link("prog"),
		},
		Programs: map[string]program.Program{"/bin/prog": nothing},
	}); err != nil {
		t.Fatal(err)
	}
	img, err := r.Resolve("x")
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	if err := img.Unpack(root); err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]os.FileMode{
		"etc": os.ModeDir | 0o755, "etc/motd": 0o644, "etc/cron.d/a": 0o600, "tmp": os.ModeDir | os.ModeSticky | 0o777,
		"srv": os.ModeDir | 0o700, "bin/prog": 0o755,
	} {
		info, err := os.Stat(filepath.Join(root, name))
		if err != nil || info.Mode() != mode {
			t.Errorf("%s: %v, %v; want %v", name, info, err, mode)
		}
	}
	data, err := os.ReadFile(filepath.Join(root, "bin/link")) // through the link
	if err != nil {
		t.Fatal(err)
	}
	marker, ok := ParseMarker(data)
	if !ok || marker != (Marker{Image: "docker.io/library/x", Path: "/bin/prog"}) {
		t.Fatalf("marker %+v, %v", marker, ok)
	}
	if _, ok := r.Program(marker); !ok {
		t.Error("the file stands for no program")
	}
	if _, ok := r.Program(Marker{Image: marker.Image, Path: "/bin/other"}); ok {
		t.Error("a path that is no program is one")
	}
	var size int64
	filepath.Walk(root, func(_ string, info os.FileInfo, err error) error {
		if info.Mode().IsRegular() || info.Mode()&os.ModeSymlink != 0 {
			size += info.Size()
		}
		return err
	})
	if size != img.Size {
		t.Errorf("on disk %d bytes, size says %d", size, img.Size)
	}
	if _, ok := ParseMarker([]byte("#!/bin/sh\n")); ok {
		t.Error("a script is taken for a program")
	}
}

func run(t *testing.T, prog program.Program, signals chan program.Signal, env []string, args ...string) (int, string) {
	t.Helper()
	var out strings.Builder
	code := prog(t.Context(), &program.Process{
		Args: args, Env: env, Dir: "/", FS: program.NewFS(t.TempDir()), Stdin: strings.NewReader(""),
		Stdout: &out, Stderr: &out, Signals: signals,
	})
	return code, out.String()
}

func TestIdleSaysSo(t *testing.T) {
	signals := make(chan program.Signal, 2)
	signals <- program.SIGHUP // does not end it
	signals <- program.SIGTERM
	code, out := run(t, Idle, signals, []string{EnvImage + "=docker.io/library/redis:7"}, "redis-server", "--port", "6379")
	if code != 0 || !strings.Contains(out, "docker.io/library/redis:7 is not known to the tab") ||
		!strings.Contains(out, `"redis-server --port 6379"`) || !strings.Contains(out, "idles") {
		t.Errorf("code %d, output:\n%s", code, out)
	}
}

func TestKilledPause(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if code := Pause(ctx, &program.Process{Signals: make(chan program.Signal)}); code != 137 {
		t.Errorf("code %d, want 137", code)
	}
}

func TestHello(t *testing.T) {
	code, out := run(t, hello, nil, nil, "/hello")
	if code != 0 || !strings.HasPrefix(out, "\nHello from Tabernetes!\n") {
		t.Errorf("code %d, output:\n%s", code, out)
	}
}

func TestMulticall(t *testing.T) {
	say := func(word string) program.Program {
		return func(_ context.Context, p *program.Process) int {
			fmt.Fprint(p.Stdout, word, p.Args)
			return len(p.Args)
		}
	}
	bb := multicall("busybox", map[string]program.Program{"cat": say("cat"), "ls": say("ls")})
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"/bin/ls", "-l"}, 2, "ls[/bin/ls -l]"},
		{[]string{"busybox", "cat", "x"}, 2, "cat[cat x]"},
		{[]string{"busybox"}, 0, "cat, ls"},
		{[]string{"busybox", "vi"}, 127, "vi: applet not found"},
	} {
		code, out := run(t, bb, nil, nil, c.args...)
		if code != c.code || !strings.Contains(out, c.want) {
			t.Errorf("%v: code %d, %q; want %d, %q", c.args, code, out, c.code, c.want)
		}
	}
}

// TestPrivateRegistry: who has no password is refused in containerd's words; who has one gets what Docker Hub has.
func TestPrivateRegistry(t *testing.T) {
	r := Builtins(testTools, nil)
	const name = "registry.private.internal:5000/nginx:1.27"
	_, err := r.Pull(name, false)
	want := `failed to pull and unpack image "` + name + `": failed to resolve reference "` + name + `": pull access denied, repository does not exist or may require authorization: authorization failed: no basic auth credentials`
	if !errors.Is(err, ErrDenied) || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	img, err := r.Pull(name, true)
	if err != nil || img.Programs["/usr/sbin/nginx"] == nil || img.RepoTag() != name {
		t.Errorf("%v, %v", img, err)
	}
	if _, err := r.Pull("registry.private.internal/nginx:404", true); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	if img, err := r.Pull("private.registry.internal/acme/shop", true); err != nil || r.Known(img.Ref) {
		t.Errorf("a name that nobody knows is no stand-in: %v", err)
	}
	for _, public := range []string{"nginx", "private/nginx", "registry.privateer.example.io/nginx"} {
		if ref, err := ParseRef(public); err != nil || ref.Private() {
			t.Errorf("%s is private, %v", public, err)
		}
	}
}
