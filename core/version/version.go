// Package version tells every component its Kubernetes version. Upstream's release builds set it
// by linker flags; here it is set when the package is initialised, so that plain `go build`,
// `go test` and the wasm build all agree without flags.
//
// It may import k8s.io/component-base/version and k8s.io/client-go/pkg/version only. Whoever assembles a component imports it.
package version

import (
	_ "unsafe" // for go:linkname

	_ "k8s.io/client-go/pkg/version" // its variables are set below
	upstream "k8s.io/component-base/version"
)

// Kubernetes is the version of k8s.io/kubernetes in go.mod; a test compares the two.
const (
	Kubernetes = "v1.36.3"
	major      = "1"
	minor      = "36"
)

// The variables that upstream's hack/lib/version.sh sets by -X.

//go:linkname gitVersion k8s.io/component-base/version.gitVersion
var gitVersion string

//go:linkname gitMajor k8s.io/component-base/version.gitMajor
var gitMajor string

//go:linkname gitMinor k8s.io/component-base/version.gitMinor
var gitMinor string

//go:linkname gitCommit k8s.io/component-base/version.gitCommit
var gitCommit string

//go:linkname gitTreeState k8s.io/component-base/version.gitTreeState
var gitTreeState string

// client-go keeps variables of its own, for the User-Agent.

//go:linkname clientVersion k8s.io/client-go/pkg/version.gitVersion
var clientVersion string

//go:linkname clientCommit k8s.io/client-go/pkg/version.gitCommit
var clientCommit string

func init() {
	clientVersion, clientCommit = Kubernetes, "archive"
	gitVersion, gitMajor, gitMinor = Kubernetes, major, minor
	// The module proxy's archive names no commit.
	gitCommit, gitTreeState = "", "archive"
	if err := upstream.SetDynamicVersion(Kubernetes); err != nil {
		panic("core/version: " + err.Error())
	}
}
