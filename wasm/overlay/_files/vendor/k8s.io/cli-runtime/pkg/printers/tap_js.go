package printers

import (
	"io"

	"k8s.io/apimachinery/pkg/runtime"
)

// printed is a hook of core/kubectl/command, nil unless it sets it: it is told of each object that is printed,
// once it says of which type it is.
var printed func(obj runtime.Object)

func taps(delegate ResourcePrinter) ResourcePrinter {
	if printed == nil {
		return delegate
	}
	return ResourcePrinterFunc(func(obj runtime.Object, w io.Writer) error {
		printed(obj)
		return delegate.PrintObj(obj, w)
	})
}
