//go:build !js

package apitrace

// hook does nothing: the hook is of the overlay.
func hook() {}
