package kubectl_test

import "testing"

// launchByScript has nothing to do: in the tab, kubectl's launch of an editor is a hook that leads to
// this process already (wasm/overlay).
func launchByScript(*testing.T) {}
