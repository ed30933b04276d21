package programtest

import "context"

// Asked is a context that ends after it was asked Left times whether it has. It is for one goroutine.
type Asked struct {
	context.Context
	Left int
}

// Err implements context.Context.
func (a *Asked) Err() error {
	if a.Left--; a.Left < 0 {
		return context.Canceled
	}
	return nil
}
