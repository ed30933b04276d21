package image

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/program"
)

func TestMounttest(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "token"), []byte("secret"), 0o640); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--file_content=/token"}, 0, "content of file \"/token\": secret\n"},
		{[]string{"--file_content=/none"}, 1, "error reading file content for \"/none\""},
		{[]string{"--file_perm=/token", "--file_mode=/token"}, 0, "mode of file \"/token\": -rw-r-----\nperms of file \"/token\": -rw-r-----\n"},
		{[]string{"--new_file_0666=/new", "--file_perm=/new"}, 0, "content of file \"/new\": mount-tester new file\n\nperms of file \"/new\": -rw-rw-rw-\n"},
		{[]string{"--file_content_in_loop=/new"}, 0, "content of file \"/new\": mount-tester new file\n\n"},
		{[]string{"--file_content_in_loop=/token", "--retry_time=0"}, 0, "content of file \"/token\": secret\n"},
		{[]string{"--fs_type=/"}, 0, "mount type of \"/\": 2035054128\n"},
		{[]string{"--fs_type=/none"}, 1, "error from statfs(\"/none\")"},
	} {
		var out bytes.Buffer
		p := &program.Process{
			Args: append([]string{"/agnhost", "mounttest"}, c.args...), FS: program.NewFS(root), Stdout: &out, Stderr: io.Discard,
		}
		if code := agnhostMain(t.Context(), p); code != c.code || !strings.HasPrefix(out.String(), c.want) {
			t.Errorf("%v: code %d, %q; want %d, %q", c.args, code, out.String(), c.code, c.want)
		}
	}
}

func TestUpdateDemosSayWhichTheyAre(t *testing.T) {
	for _, name := range []string{"nautilus", "kitten"} {
		img, err := Builtins(testTools, nil).Resolve("registry.k8s.io/e2e-test-images/" + name + ":1.8")
		if err != nil {
			t.Fatal(err)
		}
		if got := string(img.Files["/data.json"].Data); !strings.Contains(got, name+".jpg") || img.Cmd[0] != "test-webserver" {
			t.Errorf("%s: %v serves %s", name, img.Cmd, got)
		}
	}
}
