package command

import (
	"os"
	"reflect"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/kubectl/pkg/generate"
	"k8s.io/kubectl/pkg/generate/versioned"
	"sigs.k8s.io/yaml"
)

// TestGenerators holds what is made against what kubectl 1.17 made of the same flags.
func TestGenerators(t *testing.T) {
	for name, text := range goldens(t, "run-1.17.yaml") {
		params := map[string]any{
			"generator": name, "name": "web", "image": "nginx:1.29", "replicas": "3", "port": "80", "hostport": "-1", "labels": "a=b,c=d",
			"stdin": "true", "tty": "false", "leave-stdin-open": "false", "command": "false", "restart": "Always", "serviceaccount": "robot",
			"requests": "cpu=200m", "limits": "memory=64Mi", "image-pull-policy": "Always", "schedule": "*/5 * * * *",
			"args": []string{"-g", "daemon off;"}, "env": []string{"K=v"},
		}
		if kind := runGenerators[name]; kind == "Job" || kind == "CronJob" {
			params["restart"] = "OnFailure"
		}
		asThen(t, name, text, versioned.GeneratorFn("run")[versioned.RunPodV1GeneratorName], params)
	}
}

// TestServiceGenerators is the same of the Service of --expose, with the parameters that upstream's `run` hands on.
func TestServiceGenerators(t *testing.T) {
	for name, text := range goldens(t, "service-1.17.yaml") {
		asThen(t, name, text, versioned.GeneratorFn("expose")[versioned.ServiceV2GeneratorName], map[string]any{
			"name": "web", "default-name": "web", "selector": "a=b,c=d", "labels": "a=b,c=d", "port": "80",
			"generator": "deployment/apps.v1", "replicas": "3", "service-generator": name, "restart": "Always",
		})
	}
}

// TestServiceOverrides: what the line says is merged into the Service, and makes nothing else of it.
func TestServiceOverrides(t *testing.T) {
	installGenerators()
	make := func(overrides string) (*corev1.Service, error) {
		made, err := versioned.GeneratorFn("expose")[versioned.ServiceV2GeneratorName].Generate(map[string]any{
			"name": "web", "default-name": "web", "selector": "a=b", "port": "80", "service-overrides": overrides,
		})
		s, _ := made.(*corev1.Service)
		return s, err
	}
	s, err := make(`{"apiVersion": "v1", "spec": {"type": "NodePort", "selector": {"a": null, "c": "d"}}}`)
	if err != nil || s == nil || s.Spec.Type != corev1.ServiceTypeNodePort || len(s.Spec.Selector) != 1 || s.Spec.Selector["c"] != "d" || s.Spec.Ports[0].Port != 80 {
		t.Errorf("%+v, %v", s, err)
	}
	for _, refused := range []string{"{", "[]", `{"kind": "Pod", "spec": null}`, `{"kind": "Nothing"}`, `{"spec": {"ports": "all"}}`} {
		if s, err := make(refused); err == nil || s != nil || !strings.Contains(err.Error(), "--service-overrides") {
			t.Errorf("%s: %+v, %v", refused, s, err)
		}
	}
}

// goldens are the documents of a file, by the names of generators.
func goldens(t *testing.T, file string) map[string]string {
	t.Helper()
	installGenerators()
	golden, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for document := range strings.SplitSeq(strings.TrimSuffix(string(golden), "---\n"), "---\n") {
		at := strings.LastIndex(document, "# ")
		name, text, _ := strings.Cut(document[at+2:], "\n")
		all[name] = text
	}
	return all
}

// asThen holds what a generator makes against what it made.
func asThen(t *testing.T, name, text string, g generate.Generator, params map[string]any) {
	t.Helper()
	made, err := g.Generate(params)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	want := reflect.New(reflect.TypeOf(made).Elem()).Interface()
	if err := yaml.UnmarshalStrict([]byte(text), want); err != nil {
		t.Errorf("%s makes a %T: %v", name, made, err)
	} else if !equality.Semantic.DeepEqual(made, want) {
		now, _ := yaml.Marshal(made)
		t.Errorf("%s makes\n%s\nkubectl 1.17 made\n%s", name, now, text)
	}
}
