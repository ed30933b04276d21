package main

import (
	"k8s.io/kubectl/pkg/cmd/util/editor"

	"github.com/tabernetes/tabernetes/core/kubectl/command"
)

func init() {
	// Launched comes with the overlay of editor's launcher.
	editor.Launched = command.LaunchEditor
	command.TakeOverEditor()
}
