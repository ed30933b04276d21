// Package platform is what an in-tab node says it runs. The overlay puts it in the place of
// package runtime where upstream's kubelet reports or checks the platform of its node: that is
// js/wasm, and every manifest that asks for kubernetes.io/os: linux or kubernetes.io/arch: amd64,
// or has spec.os.name: linux, would be refused, though the images that it names run: programs in
// their place, which behave as on Linux (ADR 23). The node's kernel version says what is below.
//
// It is imported by overlaid upstream files only, and imports nothing.
package platform

// The node's operating system and architecture, as its labels and nodeInfo have them.
const (
	GOOS   = "linux"
	GOARCH = "amd64"
)
