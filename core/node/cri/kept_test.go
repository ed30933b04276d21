package cri

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/tabernetes/tabernetes/scripts/eventually"
)

// restart ends a runtime as a loss of power does, and makes the next on what is on the node's disk.
func (f *fixture) restart() *fixture {
	f.t.Helper()
	if err := f.Close(f.t.Context()); err != nil {
		f.t.Fatal(err)
	}
	next := newFixture(f.t, func(o *Options) { o.RootDir, o.NodeRoot = f.opts.RootDir, f.opts.NodeRoot })
	next.logs = f.logs
	return next
}

// TestARuntimeAfterALossOfPower: what ran has ended as containerd has it then, what had ended before has
// ended as it did, what never started can still be told from both, and names are not used twice.
func TestARuntimeAfterALossOfPower(t *testing.T) {
	f := newFixture(t)
	ran, sc := f.start("term", "7")
	ended, _ := f.start("exit", "3")
	f.wait(ended)
	sandbox, readySC := f.pod()
	waiting := f.create(sandbox, readySC, f.containerConfig("waits", "echo"))
	gone, _ := f.start("exit", "0")
	f.wait(gone)
	if err := f.RemoveContainer(t.Context(), gone); err != nil {
		t.Fatal(err)
	}
	eventually.True(t, "its first line", func() bool { out, _ := f.log(ran, false); return out == "started\n" })
	was := f.status(ended)
	ranSandbox := f.sandboxOf(ran)

	for range 2 { // it is the same after a second loss
		f = f.restart()
		st := f.status(ran)
		if st.State != exited || st.ExitCode != 255 || st.Reason != "Unknown" || st.StartedAt == 0 || st.FinishedAt < st.StartedAt {
			t.Errorf("what ran: %+v", st)
		}
		if st.Metadata.Name != "main" || st.Labels["name"] != "main" || st.Image.Image != "docker.io/library/test:latest" || st.ImageId == "" {
			t.Errorf("what ran is called %+v", st)
		}
		if out, _ := f.log(ran, false); out != "started\n" {
			t.Errorf("its log: %q", out)
		}
		if st := f.status(ended); st.String() != was.String() {
			t.Errorf("what had ended: %+v, was %+v", st, was)
		}
		if st := f.status(waiting); st.State != created {
			t.Errorf("what never started: %+v", st)
		}
		_, err := f.ContainerStatus(t.Context(), gone, false)
		wantCode(t, "what was removed", err, codes.NotFound)
		wantCode(t, "start what ran", f.StartContainer(t.Context(), ran), codes.Unknown)
		wantCode(t, "start without a sandbox", f.StartContainer(t.Context(), waiting), codes.Unknown)
		_, err = f.CreateContainer(t.Context(), ranSandbox, f.containerConfig("more", "echo"), sc)
		wantCode(t, "create in a sandbox that is not ready", err, codes.Unknown)
		pods, err := f.ListPodSandbox(t.Context(), nil)
		if err != nil || len(pods) != 4 {
			t.Fatalf("%d sandboxes, %v", len(pods), err)
		}
		for _, p := range pods {
			if p.State != runtimeapi.PodSandboxState_SANDBOX_NOTREADY {
				t.Errorf("sandbox %s is ready", p.Metadata.Name)
			}
		}
		if _, err := f.RunPodSandbox(t.Context(), sc, ""); err == nil {
			t.Error("the name of a sandbox was given twice")
		}
	}
	// The kubelet's way on: another attempt in the pod's next sandbox.
	sc.Metadata.Attempt++
	next, err := f.RunPodSandbox(t.Context(), sc, "")
	if err != nil {
		t.Fatal(err)
	}
	again := f.containerConfig("main", "term", "7")
	again.Metadata.Attempt++
	if err := f.StartContainer(t.Context(), f.create(next, sc, again)); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{ran, waiting} {
		if err := f.RemoveContainer(t.Context(), id); err != nil {
			t.Error(err)
		}
	}
	if err := f.RemovePodSandbox(t.Context(), ranSandbox); err != nil {
		t.Error(err)
	}
}

func (f *fixture) sandboxOf(id string) string {
	c, err := f.container(id)
	if err != nil {
		f.t.Fatal(err)
	}
	return c.sandbox.id
}

// TestRecordsThatAPodWrote: a pod that may write to the node's disk can write what the runtime reads
// there. It ends nothing, and leads nowhere.
func TestRecordsThatAPodWrote(t *testing.T) {
	root := t.TempDir()
	f := newFixture(t, func(o *Options) { o.NodeRoot, o.RootDir = root, filepath.Join(root, "var/lib/containerd") })
	f.logs = filepath.Join(root, "var/log/pods")
	id, _ := f.start("forever")
	dir := f.containersDir()
	file := filepath.Join(dir, id, recordName)
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	with := func(key string, value any) string {
		var record map[string]any
		if err := json.Unmarshal(good, &record); err != nil {
			t.Fatal(err)
		}
		record[key] = value
		text, err := json.Marshal(record)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for name, text := range map[string]string{
		"empty": "", "torn": string(good[:len(good)/2]), "not JSON": "\x00\xff", "a list": "[]", "null": "null",
		"another's id": with("ID", strings.Repeat("0", 64)), "no such sandbox": with("Sandbox", "x"),
		"a broken configuration": with("Config", "/////w=="), "no configuration": with("Config", nil),
		"huge": with("Message", strings.Repeat("x", maxRecord)),
	} {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f = f.restart()
		if list, err := f.ListContainers(t.Context(), nil); err != nil || len(list) != 0 {
			t.Errorf("%s: %d containers, %v", name, len(list), err)
		}
		if _, err := os.Stat(filepath.Dir(file)); err == nil {
			t.Errorf("%s: what cannot be read is still there", name)
		}
	}
	write := func(text string) {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{"/etc/passwd", root + "/../x", "relative"} {
		write(with("LogPath", path))
		f = f.restart()
		if st := f.status(id); st.LogPath != "" {
			t.Errorf("the kubelet would read %s", st.LogPath)
		}
	}
	write(with("Image", "://"))
	f = f.restart()
	if st := f.status(id); st.State != exited {
		t.Errorf("of an image without a name: %+v", st)
	}
	for _, name := range []string{"x", "..x", strings.Repeat("g", 64)} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	f = f.restart()
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}
