// Package command links to a function of the runtime by name, which takes a file of assembly.
