package command

import (
	"reflect"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// TemplateMethod is the method of value that kubectl's own templates (k8s.io/kubectl/pkg/util/templates,
// pkg/explain/v2) call by that name; the zero Value if they call none. What people write with
// `-o go-template` is about maps, which have no methods.
//
// It stands in for reflect where that would have the linker keep every method of every type.
func TemplateMethod(value reflect.Value, name string) reflect.Value {
	if !value.IsValid() || !value.CanInterface() {
		return reflect.Value{}
	}
	var method any
	switch v := value.Interface().(type) {
	case *cobra.Command:
		if find, ok := commandMethods[name]; ok {
			method = find(v)
		}
	case *pflag.FlagSet:
		if name == "HasFlags" {
			method = v.HasFlags
		}
	case schema.GroupVersionResource:
		if name == "String" {
			method = v.String
		}
	}
	return reflect.ValueOf(method) // the zero Value of nil
}

var commandMethods = map[string]func(*cobra.Command) any{
	"HasAvailableSubCommands": func(c *cobra.Command) any { return c.HasAvailableSubCommands },
	"HasExample":              func(c *cobra.Command) any { return c.HasExample },
	"HasFlags":                func(c *cobra.Command) any { return c.HasFlags },
	"HasInheritedFlags":       func(c *cobra.Command) any { return c.HasInheritedFlags },
	"HasSubCommands":          func(c *cobra.Command) any { return c.HasSubCommands },
	"InheritedFlags":          func(c *cobra.Command) any { return c.InheritedFlags },
	"LocalFlags":              func(c *cobra.Command) any { return c.LocalFlags },
	"NameAndAliases":          func(c *cobra.Command) any { return c.NameAndAliases },
	"PersistentFlags":         func(c *cobra.Command) any { return c.PersistentFlags },
	"Runnable":                func(c *cobra.Command) any { return c.Runnable },
	"UsageString":             func(c *cobra.Command) any { return c.UsageString },
	"UseLine":                 func(c *cobra.Command) any { return c.UseLine },
}
