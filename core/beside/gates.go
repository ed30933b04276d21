package beside

import (
	"fmt"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/compatibility"
	baseversion "k8s.io/component-base/version"
)

// Gates are the versions and feature gates for a component: a copy of the process's, which stay as they are.
func Gates() (compatibility.ComponentGlobalsRegistry, error) {
	registry := compatibility.NewComponentGlobalsRegistry()
	err := registry.Register(compatibility.DefaultKubeComponent,
		compatibility.NewEffectiveVersionFromString(baseversion.DefaultKubeBinaryVersion, "", ""), utilfeature.DefaultMutableFeatureGate.DeepCopy())
	if err != nil {
		return nil, fmt.Errorf("copy the feature gates: %w", err)
	}
	return registry, nil
}
