package command

import (
	"reflect"
	"testing"
	"text/template/parse"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubectl/pkg/util/templates"
)

// TestTemplatesFindTheirMethods: an upgrade whose templates name further methods fails here.
func TestTemplatesFindTheirMethods(t *testing.T) {
	values := []any{&cobra.Command{}, &pflag.FlagSet{}, schema.GroupVersionResource{}}
	found := 0
	for _, text := range []string{
		templates.MainHelpTemplate(), templates.MainUsageTemplate(),
		templates.OptionsHelpTemplate(), templates.OptionsUsageTemplate(),
	} {
		for _, name := range namesIn(t, text) {
			for _, v := range values {
				value := reflect.ValueOf(v)
				want := value.MethodByName(name)
				if !want.IsValid() {
					continue
				}
				found++
				got := TemplateMethod(value, name)
				if !got.IsValid() || got.Type() != want.Type() {
					t.Errorf("%T.%s is %v, want %v", v, name, got, want)
				}
			}
		}
	}
	if found < 10 {
		t.Errorf("only %d methods are named by kubectl's templates", found)
	}
	if got := TemplateMethod(reflect.ValueOf(schema.GroupVersionResource{}), "String"); !got.IsValid() {
		t.Error("explain's template has no GVR.String")
	}
	for _, none := range []reflect.Value{{}, reflect.ValueOf(map[string]any{}), reflect.ValueOf(&cobra.Command{})} {
		if TemplateMethod(none, "Execute").IsValid() {
			t.Errorf("%v has a method", none)
		}
	}
}

// namesIn are the fields that a template names. Functions do not matter: any will do for parsing.
func namesIn(t *testing.T, text string) []string {
	t.Helper()
	tree := parse.New("help")
	tree.Mode = parse.SkipFuncCheck
	if _, err := tree.Parse(text, "", "", map[string]*parse.Tree{}); err != nil {
		t.Fatal(err)
	}
	var names []string
	var walk func(reflect.Value)
	walk = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Interface, reflect.Pointer:
			if !v.IsNil() {
				walk(v.Elem())
			}
		case reflect.Slice:
			for i := range v.Len() {
				walk(v.Index(i))
			}
		case reflect.Struct:
			switch node := v.Addr().Interface().(type) {
			case *parse.FieldNode:
				names = append(names, node.Ident...)
			case *parse.VariableNode:
				names = append(names, node.Ident[1:]...)
			case *parse.ChainNode:
				names = append(names, node.Field...)
			}
			for i := range v.NumField() {
				if v.Type().Field(i).IsExported() {
					walk(v.Field(i))
				}
			}
		}
	}
	walk(reflect.ValueOf(tree.Root))
	return names
}
