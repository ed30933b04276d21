package killercoda

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/nodehost/lesson"
)

func scenario(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func lacks(name string) string {
	if name == "docker" {
		return "there is none"
	}
	return ""
}

const one = `{"title": "T", "details": {"steps": [{"title": "S", "text": "a.md"}]}, "backend": {"imageid": "kubernetes-kubeadm-1node"}}`

func TestConvert(t *testing.T) {
	text := "# Title\n\nDo `echo a`{{exec}} and `b`{{copy}}.\n\n```bash\necho b\n```{{exec}}\n\n```bash\nonly shown\n```\n"
	c, err := Convert(scenario(t, map[string]string{Name: one, "a.md": text}), lacks)
	if err != nil {
		t.Fatal(err)
	}
	l, problems := lesson.Parse([]byte(c.Text))
	if len(problems) > 0 || len(l.Steps) != 1 || len(l.Steps[0].Parts) != 2 {
		t.Fatalf("%v\n%+v\n%s", problems, l, c.Text)
	}
	for i, want := range []struct {
		text string
		line int
	}{{"echo a", 3}, {"echo b", 6}} {
		part := l.Steps[0].Parts[i]
		file, line := c.At(part.Line)
		if part.Text != want.text || file != "a.md" || line != want.line {
			t.Errorf("%q from %s:%d, want %q from line %d", part.Text, file, line, want.text, want.line)
		}
	}
}

// What a stranger's scenario may hold is refused where it stands, or is text.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ name, index, text, want string }{
		{"no JSON", "{", "", "index.json"},
		{"assets", strings.Replace(one, `"details"`, `"assets": {}, "details"`, 1), "", `index.json:1: a lesson has no place for "assets"`},
		{"a machine", strings.Replace(one, "kubernetes-kubeadm-1node", "ubuntu", 1), "", `index.json:1: the machine "ubuntu" is not here`},
		{"a file from elsewhere", strings.Replace(one, "a.md", "../../etc/passwd", 1), "", "open ../../etc/passwd: invalid argument"},
		{"assets of the details", strings.Replace(one, `"steps"`, `"assets": {}, "steps"`, 1), "", `index.json:1: a lesson has no place for "assets"`},
		{"a file that is missing", strings.Replace(one, "a.md", "b.md", 1), "", "b.md"},
		{"an interrupt", one, "```\nls\n```{{exec interrupt}}\n", "a.md:3: {{exec interrupt}} is not here"},
		{"a port", one, "x\n{{TRAFFIC_HOST1_80}}\n", "a.md:2: {{TRAFFIC_HOST1_80}} is not here"},
		{"a program", one, "x\n\n```\nls\nls | sudo /usr/bin/docker ps\n```{{exec}}\n", `a.md:5: "/usr/bin/docker" is not here: there is none`},
		{"no shell", one, "```\necho 'a\n```{{exec}}\n", "a.md:2: this is no shell"},
		{"a fence that would end ours", one, "```\n" + maxFence + "\n```{{exec}}\n", "a.md:2: a line of"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Convert(scenario(t, map[string]string{Name: c.index, "a.md": c.text}), lacks)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v: want %q", err, c.want)
			}
		})
	}
}

func FuzzConvert(f *testing.F) {
	f.Add("# a\n\n```\nls\n```{{exec}}\n`b`{{exec}}\n")
	f.Add("````\n```\n{{\n")
	dir := f.TempDir()
	if err := os.WriteFile(filepath.Join(dir, Name), []byte(one), 0o600); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if err := os.WriteFile(filepath.Join(dir, "a.md"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := Convert(dir, lacks)
		if err == nil && strings.Count(c.Text, "\n") != len(c.lines) {
			t.Fatalf("%d lines, of %d it is known where they come from", strings.Count(c.Text, "\n"), len(c.lines))
		}
	})
}
