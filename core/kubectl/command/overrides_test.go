package command

import (
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tabernetes/tabernetes/core/program"
)

func tree(t *testing.T) *cobra.Command {
	t.Helper()
	captureEnd() // as a command does first: kuberc is off, which adds a command and flags
	p := &program.Process{FS: program.NewFS(t.TempDir()), Dir: "/", Args: []string{"kubectl"}, Stdout: io.Discard, Stderr: io.Discard}
	o := Options{Kubeconfig: "/config", CacheDir: "/cache"}
	f := pathsOf(p)
	root, done, err := o.root(t.Context(), p, f, f.kubeconfigs(o.Kubeconfig), 0, false, nil, &attached{}, &plugins{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(done)
	return root
}

func each(c *cobra.Command, f func(path string, c *cobra.Command)) {
	for _, sub := range c.Commands() {
		f(strings.TrimPrefix(sub.CommandPath(), "kubectl "), sub)
		each(sub, f)
	}
}

// TestOverridesAreUpstreams: a command that is gone fails by its name; one that is new must be looked
// at: does it run a program, end the process, open files, or look for a terminal? Then it is added to
// testdata/commands.txt.
func TestOverridesAreUpstreams(t *testing.T) {
	root := tree(t)
	for _, o := range overrides {
		if _, err := find(root, o.command); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(o.file); err != nil || o.upstream == "" {
			t.Errorf("%s: %v", o.command, err)
		}
	}
	if _, err := find(root, "nosuch"); err == nil {
		t.Error("a command that upstream does not have was found")
	}
	data, err := os.ReadFile("testdata/commands.txt")
	if err != nil {
		t.Fatal(err)
	}
	known := strings.Fields(strings.ReplaceAll(string(data), " ", "/"))
	var found []string
	each(root, func(path string, _ *cobra.Command) { found = append(found, strings.ReplaceAll(path, " ", "/")) })
	slices.Sort(found)
	for _, path := range found {
		if !slices.Contains(known, path) {
			t.Errorf("kubectl %s is new", path)
		}
	}
	for _, path := range known {
		if !slices.Contains(found, path) {
			t.Errorf("kubectl %s is gone", path)
		}
	}
}

// notLocal are flags whose words speak of files and which name none of this machine.
var notLocal = []string{
	"rule", "load-restrictor", "merge", "tail", "patch", "accept-paths", "reject-paths", "www-prefix",
	"template", "output", "raw", "helm-command",
}

// TestShorthandsAreUpstreams: what flagOf and verbOf say of upstream's flags is so.
func TestShorthandsAreUpstreams(t *testing.T) {
	root := tree(t)
	each(root, func(path string, c *cobra.Command) {
		check := func(f *pflag.Flag) {
			if f.Shorthand == "" || slices.Contains(commandsWithOtherF, c.Name()) {
				return
			}
			is := f.Value.Type() == "bool"
			if said := strings.Contains(switches, f.Shorthand) && (f.Shorthand != "w" || c.Name() != proxy); said != is {
				t.Errorf("kubectl %s -%s is a %s", path, f.Shorthand, f.Value.Type())
			}
		}
		c.Flags().VisitAll(check)
	})
	root.PersistentFlags().VisitAll(func(f *pflag.Flag) {
		if name := "--" + f.Name; slices.Contains(globals, name) != (f.NoOptDefVal == "") {
			t.Errorf("%s: does it have a value in the next argument?", name)
		}
	})
}

// TestFileFlagsAreUpstreams: a flag of upstream's that takes a local file and is not in fileFlags
// would be read from the process's own files.
func TestFileFlagsAreUpstreams(t *testing.T) {
	root := tree(t)
	looks := regexp.MustCompile(`(?i)\b(files?|filenames?|path|paths|director(y|ies))\b`)
	taken, found := map[string]bool{}, map[string]bool{}
	otherF := map[string]bool{}
	look := func(path string, c *cobra.Command) {
		check := func(f *pflag.Flag) {
			name := "--" + f.Name
			if _, ok := fileFlags[name]; ok {
				taken[name] = true
				return
			}
			if f.Shorthand == "f" {
				otherF[c.Name()] = true
			}
			if looks.MatchString(f.Usage+" "+strings.ReplaceAll(f.Name, "-", " ")) && f.Value.Type() != "bool" {
				found[f.Name] = true
			}
		}
		c.Flags().VisitAll(check)
		c.PersistentFlags().VisitAll(check)
	}
	look("", root)
	each(root, look)
	for name := range found {
		if !slices.Contains(notLocal, name) {
			t.Errorf("--%s speaks of a file: is it one of this machine? Then it belongs into fileFlags, else into notLocal", name)
		}
	}
	for _, name := range notLocal {
		if !found[name] {
			t.Errorf("notLocal has --%s, which does not speak of a file", name)
		}
	}
	for name := range fileFlags {
		if strings.HasPrefix(name, "--") && !taken[name] {
			t.Errorf("upstream has no flag %s any more", name)
		}
	}
	for name := range otherF {
		if !slices.Contains(commandsWithOtherF, name) {
			t.Errorf("-f of kubectl %s is no file name", name)
		}
	}
}
