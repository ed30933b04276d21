package main

import (
	"errors"
	"fmt"

	"github.com/tabernetes/tabernetes/core/node/image/defined"
	"github.com/tabernetes/tabernetes/wasm/jsx"
)

// containers begins the Workers of images that the page has defined.
type containers struct{ host *host }

var _ defined.Host = containers{}

// Begin implements defined.Host. The Worker's script is ours (web/container); the worker's script of the cluster
// knows where it is.
func (c containers) Begin(number uint32, heard func([]byte), failed func(error)) (defined.Worker, error) {
	worker, err := c.host.container.Invoke(int(number))
	if err != nil {
		return nil, err
	}
	w, err := jsx.NewWorker("container", worker, func(data jsx.Value) {
		b, err := jsx.BytesUpTo(data, defined.MaxMessage)
		if err != nil {
			failed(fmt.Errorf("it said what is no message: %w", err))
			return
		}
		heard(b)
	}, func(err error) {
		if errors.Is(err, jsx.ErrWorkerGone) {
			err = defined.ErrGone
		}
		failed(err)
	})
	if err != nil {
		return nil, err
	}
	return containerWorker{w}, nil
}

type containerWorker struct{ *jsx.Worker }

// End implements defined.Worker.
func (w containerWorker) End() { w.Terminate() }
