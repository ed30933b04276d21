package configuration_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/cluster"
	"github.com/tabernetes/tabernetes/core/configuration"
)

// table reads one of the page's tables.
func table(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile("../../web/configuration/" + name)
	if err == nil {
		err = yaml.UnmarshalStrict(text, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// template is what the page offers to begin with.
type template struct {
	Name, Title, Try string
	Files            map[string]string
}

func templates(t *testing.T) (all []template) {
	t.Helper()
	table(t, "templates.yaml", &all)
	return all
}

// TestTemplates: what the page offers to begin with is what upstream takes, and begins with a file that it names.
func TestTemplates(t *testing.T) {
	configure(t, nil)
	for _, c := range templates(t) {
		f := configuration.Files{}
		for name, content := range c.Files {
			f[name] = []byte(strings.ReplaceAll(content, "KEY", "c2VjcmV0IGlzIHNlY3VyZSwgb3IgaXMgaXQ/IGl0IGk="))
		}
		if len(f) == 0 || c.Title == "" {
			t.Errorf("%q has no title or no file", c.Name)
		}
		if err := running.CheckConfiguration(t.Context(), f); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
}

// TestForms: the page shows every file that means something, and no other.
func TestForms(t *testing.T) {
	var forms []struct{ File, Label, Is string }
	table(t, "forms.yaml", &forms)
	known := map[string]bool{}
	for _, name := range []string{
		configuration.Authentication, configuration.AuthenticationWebhook, configuration.Tokens, configuration.BasicAuth,
		configuration.Authorization, configuration.ABAC, configuration.Admission, configuration.Audit, configuration.Encryption,
		configuration.Scheduler, configuration.Kubelet, configuration.Outside, configuration.APIServerFlags, configuration.SchedulerFlags,
	} {
		known[name] = true
	}
	for _, f := range forms {
		if !known[f.File] || f.Label == "" || f.Is == "" {
			t.Errorf("%+v", f)
		}
		delete(known, f.File)
	}
	if len(known) > 0 {
		t.Errorf("not shown: %v", known)
	}
}

// TestSentences: the page says of each admission plugin what it does, and of none that is gone.
func TestSentences(t *testing.T) {
	var sentences map[string]map[string]string
	table(t, "access-controls.yaml", &sentences)
	left := sentences["admission"]
	for _, p := range apiserver.AdmissionPlugins() {
		if left[p.Name] == "" {
			t.Errorf("nothing is said of %s", p.Name)
		}
		delete(left, p.Name)
	}
	if len(left) > 0 {
		t.Errorf("there is no %v", left)
	}
}

// TestErrorsNameFiles: what upstream says of a file names it, and not where it was laid out.
func TestErrorsNameFiles(t *testing.T) {
	err := running.CheckConfiguration(t.Context(), configuration.Files{
		configuration.Authorization: authorizers("ABAC"), configuration.ABAC: []byte("{"),
	})
	if err == nil || !strings.Contains(err.Error(), configuration.ABAC) || strings.Contains(err.Error(), "configuration-check") {
		t.Error(err)
	}
}

// TestAClusterThatNeverServed goes back as well: it is in force when it starts again. What cannot be kept is no
// configuration.
func TestAClusterThatNeverServed(t *testing.T) {
	full := errors.New("the storage is full")
	var refuse error
	kept := 0
	config, err := cluster.Options{
		Dir: t.TempDir(), Listen: "127.0.0.1:0",
		Configuration:     configuration.Files{configuration.Authorization: authorizers("AlwaysDeny")},
		KeepConfiguration: func(string) error { kept++; return refuse },
	}.Complete()
	if err != nil {
		t.Fatal(err)
	}
	c, err := config.New()
	if err != nil {
		t.Fatal(err)
	}
	if kept != 1 || c.ConfigurationsBefore() != 1 {
		t.Errorf("kept %d times, %d before", kept, c.ConfigurationsBefore())
	}
	refuse = full
	if _, err := c.RestoreConfiguration(t.Context()); !errors.Is(err, full) || c.ConfigurationsBefore() != 1 {
		t.Errorf("%v, %d before", err, c.ConfigurationsBefore())
	}
	refuse = nil
	did, err := c.RestoreConfiguration(t.Context())
	if err != nil || !did.AtStart || len(c.Configuration()) != 0 {
		t.Errorf("%+v, %v, %v", did, err, c.Configuration())
	}
	if _, err := c.RestoreConfiguration(t.Context()); err == nil {
		t.Error("there is nothing before the beginning")
	}
}
