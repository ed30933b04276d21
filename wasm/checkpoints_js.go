package main

import (
	"log"

	"github.com/tabernetes/tabernetes/core/checkpoint"
)

// beforeKubectl takes a checkpoint before a command that may write. Before the API server serves there is nothing that
// such a command could do.
func (t *tab) beforeKubectl(args []string) {
	select {
	case <-t.apiUp:
	default:
		return
	}
	if !checkpoint.MayWrite(args) {
		return
	}
	if _, err := t.checkpoints().Take(checkpoint.Line(args), false); err != nil {
		log.Printf("tabernetes: %v", err) // what was typed goes on
	}
}
