//go:build !js

package clienttrace

// hook does nothing: the hooks are of the overlay.
func hook() {}
