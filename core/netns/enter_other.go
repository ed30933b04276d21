//go:build !linux && !js

package netns

import (
	"errors"
	"net/netip"
)

// Enter fails: this operating system has no network namespaces.
func Enter(...netip.Addr) error {
	unavailable = "this operating system has none"
	return errors.New(unavailable)
}
