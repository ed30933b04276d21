package goroot

import (
	"reflect"
	_ "text/template" // has the function below, by the overlay
	_ "unsafe"        // for go:linkname
)

// SetTemplateMethods makes find what templates ask for the methods of their values: the zero
// Value says that there is none of that name, and templates then look for a field. Without it no
// value has any.
func SetTemplateMethods(find func(value reflect.Value, name string) reflect.Value) { setMethodOf(find) }

//go:linkname setMethodOf text/template.setMethodOf
func setMethodOf(find func(value reflect.Value, name string) reflect.Value)
