// Package platform is what an in-tab node says it runs on. The overlay puts it in the place of
// package runtime where upstream's kubelet reports or checks the operating system of its node:
// GOOS is js there, and every manifest that asks for kubernetes.io/os: linux, or has
// spec.os.name: linux, would be refused, though its programs behave as on Linux.
//
// It is imported by overlaid upstream files only, and imports nothing.
package platform

// The node's operating system and architecture, as its labels and nodeInfo have them.
const (
	GOOS   = "linux"
	GOARCH = "wasm"
)
