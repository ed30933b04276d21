package cri

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	"k8s.io/cri-client/pkg/logs"

	"github.com/tabernetes/tabernetes/scripts/eventually"
)

var logLine = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z (stdout|stderr) [PF] .*$`)

func TestLogStream(t *testing.T) {
	long := strings.Repeat("x", maxLogLine)
	for _, c := range []struct {
		writes []string
		want   []string // stream, tag and text of each entry
	}{
		{[]string{"one\n"}, []string{"stdout F one"}},
		{[]string{"o", "n", "e\ntwo\n"}, []string{"stdout F one", "stdout F two"}},
		{[]string{"\n\n"}, []string{"stdout F ", "stdout F "}},
		{[]string{"no end"}, []string{"stdout P no end"}},
		{[]string{"a\r\n"}, []string{"stdout F a\r"}},
		{[]string{long + "\n"}, []string{"stdout F " + long}},
		{[]string{long, "\n"}, []string{"stdout F " + long}},
		{[]string{long + "yz\n"}, []string{"stdout P " + long, "stdout F yz"}},
		{[]string{long, "y", "z\n"}, []string{"stdout P " + long, "stdout F yz"}},
		{[]string{long + long + "\nend\n"}, []string{"stdout P " + long, "stdout F " + long, "stdout F end"}},
		{[]string{""}, nil},
	} {
		path := filepath.Join(t.TempDir(), "deep", "0.log")
		file := newLogFile(path, nil)
		if err := file.open(); err != nil {
			t.Fatal(err)
		}
		s := &logStream{log: file, stream: runtimeapi.Stdout}
		for _, w := range c.writes {
			if n, err := s.Write([]byte(w)); n != len(w) || err != nil {
				t.Fatalf("write: %d, %v", n, err)
			}
		}
		s.close()
		file.close()
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for line := range strings.Lines(string(data)) {
			line = strings.TrimSuffix(line, "\n")
			if !logLine.MatchString(strings.TrimSuffix(line, "\r")) {
				t.Fatalf("entry %.80q", line)
			}
			_, rest, _ := strings.Cut(line, " ")
			got = append(got, rest)
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%.40q: %.200q, want %.200q", c.writes, got, c.want)
		}
		if _, err := s.Write([]byte("late")); err == nil {
			t.Error("a closed stream takes more")
		}
	}
}

func TestLogsReadByUpstream(t *testing.T) {
	f := newFixture(t)
	long := strings.Repeat("long ", 10_000)
	id, _ := f.start("printf", "first\\n"+long+"\\nlast without end")
	f.wait(id)
	if out, errOut := f.log(id, false); out != "first\n"+long+"\nlast without end" || errOut != "" {
		t.Errorf("out %d bytes, err %q", len(out), errOut)
	}
	id, _ = f.start("err", "to stderr")
	f.wait(id)
	if out, errOut := f.log(id, false); out != "" || errOut != "to stderr\n" {
		t.Errorf("out %q, err %q", out, errOut)
	}
	var tail strings.Builder
	lines := int64(1)
	id, _ = f.start("printf", `a\nb\nc\n`)
	path := f.wait(id).LogPath
	if err := logs.ReadLogs(t.Context(), path, id, &logs.LogOptions{TailLines: &lines}, f.Runtime, &tail, &tail); err != nil || tail.String() != "c\n" {
		t.Errorf("tail: %q, %v", tail.String(), err)
	}
}

func TestLogRotation(t *testing.T) {
	f := newFixture(t)
	sandbox, sc := f.pod()
	config := f.containerConfig("main", "cat")
	config.Stdin = true
	id := f.create(sandbox, sc, config)
	wantCode(t, "reopen before the start", f.ReopenContainerLog(t.Context(), id), codes.Unknown)
	if err := f.StartContainer(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	c, _ := f.container(id)
	path := f.status(id).LogPath
	read := func(path string) string {
		data, _ := os.ReadFile(path)
		return string(data)
	}
	fmt.Fprintln(c.stdio.input, "before")
	eventually.True(t, "logged", func() bool { return strings.HasSuffix(read(path), "before\n") })
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	if err := f.ReopenContainerLog(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(c.stdio.input, "after")
	eventually.True(t, "logged", func() bool { return strings.HasSuffix(read(path), "after\n") })
	if old := read(path + ".1"); strings.Contains(old, "after") || !strings.Contains(old, "before") {
		t.Errorf("old file: %q", old)
	}
}

func TestLogFollowEndsWithTheContainer(t *testing.T) {
	f := newFixture(t)
	id, _ := f.start("term", "0")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var out strings.Builder
	done := make(chan error, 1)
	path := f.status(id).LogPath
	go func() { done <- logs.ReadLogs(ctx, path, id, &logs.LogOptions{Follow: true}, f.Runtime, &out, &out) }()
	eventually.True(t, "started", func() bool { o, _ := f.log(id, false); return o != "" })
	if err := f.StopContainer(t.Context(), id, 10); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Skip("the reader cannot follow here: ", err) // js without wasm/overlay has no fsnotify
	}
	if out.String() != "started\nsignal TERM\n" {
		t.Errorf("followed %q", out.String())
	}
}

func TestNoLogPath(t *testing.T) {
	f := newFixture(t)
	config := f.containerConfig("c", "echo", "into the void")
	config.LogPath = ""
	sandbox, sc := f.pod()
	id := f.create(sandbox, sc, config)
	if err := f.StartContainer(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if st := f.wait(id); st.ExitCode != 0 || st.LogPath != "" {
		t.Errorf("%+v", st)
	}
}
