package configuration_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	apiserverv1 "k8s.io/apiserver/pkg/apis/apiserver/v1"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	schedulerv1 "k8s.io/kube-scheduler/config/v1"
	kubeletv1beta1 "k8s.io/kubelet/config/v1beta1"

	"github.com/tabernetes/tabernetes/core/node"
)

var update = flag.Bool("update", false, "write what a test compares with")

// TestFields: the page's editor offers the fields that upstream's types have; the cluster's OpenAPI does not have
// these forms.
func TestFields(t *testing.T) {
	f := forms{}
	for version, kinds := range map[string][]any{
		"apiserver.config.k8s.io/v1": {
			apiserverv1.AuthenticationConfiguration{}, apiserverv1.AuthorizationConfiguration{},
			apiserverv1.AdmissionConfiguration{}, apiserverv1.EncryptionConfiguration{},
		},
		"audit.k8s.io/v1":                {auditv1.Policy{}},
		"kubescheduler.config.k8s.io/v1": {schedulerv1.KubeSchedulerConfiguration{}},
		"kubelet.config.k8s.io/v1beta1":  {kubeletv1beta1.KubeletConfiguration{}},
	} {
		group, version, _ := strings.Cut(version, "/")
		for _, kind := range kinds {
			of := reflect.TypeOf(kind)
			f.schema(of)
			f[nameOf(of)]["x-kubernetes-group-version-kind"] = []any{map[string]any{"group": group, "version": version, "kind": of.Name()}}
		}
	}
	// In-tab nodes refuse the others.
	fields := f[nameOf(reflect.TypeFor[kubeletv1beta1.KubeletConfiguration]())]["properties"].(map[string]any)
	maps.DeleteFunc(fields, func(name string, _ any) bool { return !slices.Contains(node.KubeletFields(), name) })
	want, err := json.Marshal(map[string]any{"components": map[string]any{"schemas": f}})
	if err != nil {
		t.Fatal(err)
	}
	const file = "../../web/configuration/fields.json"
	if *update {
		if err := os.WriteFile(file, append(want, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var plain bytes.Buffer // as Prettier has it there is more space
	if err := json.Compact(&plain, got); err != nil || plain.String() != string(want) {
		t.Errorf("%s is not what upstream's types have: go test ./core/configuration -run TestFields -update && npx prettier --write web/configuration (%v)", file, err)
	}
}

// forms are types by name, each a schema of OpenAPI v3 as far as the editor reads one.
type forms map[string]map[string]any

func nameOf(t reflect.Type) string {
	parts := strings.Split(t.PkgPath(), "/")
	return parts[len(parts)-2] + "." + t.Name()
}

// schema is a type's; that of a struct is kept, and referred to.
func (f forms) schema(t reflect.Type) map[string]any {
	switch t {
	case reflect.TypeFor[metav1.Duration](), reflect.TypeFor[resource.Quantity](), reflect.TypeFor[resource.QuantityValue](), reflect.TypeFor[metav1.Time]():
		return map[string]any{"type": "string"}
	case reflect.TypeFor[runtime.RawExtension](), reflect.TypeFor[runtime.Unknown](), reflect.TypeFor[metav1.ObjectMeta]():
		return map[string]any{"type": "object"}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return f.schema(t.Elem())
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int, reflect.Int32, reflect.Int64:
		return map[string]any{"type": "integer"}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return map[string]any{"type": "string"}
		}
		return map[string]any{"type": "array", "items": f.schema(t.Elem())}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": f.schema(t.Elem())}
	case reflect.Struct:
		name := nameOf(t)
		if f[name] == nil {
			properties := map[string]any{}
			f[name] = map[string]any{"type": "object", "properties": properties}
			f.fields(t, properties)
		}
		return map[string]any{"$ref": "#/" + name}
	}
	return map[string]any{"type": "string"}
}

func (f forms) fields(t reflect.Type, into map[string]any) {
	for i := range t.NumField() {
		field := t.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "-" || !field.IsExported():
		case name == "" && field.Anonymous:
			f.fields(field.Type, into)
		case name != "":
			into[name] = f.schema(field.Type)
		}
	}
}
