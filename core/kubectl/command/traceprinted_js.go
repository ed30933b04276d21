package command

import (
	_ "unsafe" // for go:linkname

	"k8s.io/apimachinery/pkg/runtime"
	_ "k8s.io/cli-runtime/pkg/printers" // has the variable below, by the overlay
)

//go:linkname printersPrinted k8s.io/cli-runtime/pkg/printers.printed
var printersPrinted func(obj runtime.Object)

func init() { printersPrinted = printed }
