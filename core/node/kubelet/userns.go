package kubelet

import (
	"fmt"

	"github.com/moby/sys/userns"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/kubernetes/pkg/features"
)

// tolerateUserNamespace lets a kubelet start in a user namespace, where tests
// run without root: its watcher for out-of-memory kills may then not read the
// kernel's log, which upstream forgives only with this gate. On js there is
// neither.
func tolerateUserNamespace() error {
	if !userns.RunningInUserNS() || utilfeature.DefaultFeatureGate.Enabled(features.KubeletInUserNamespace) {
		return nil
	}
	if err := utilfeature.DefaultMutableFeatureGate.Set(string(features.KubeletInUserNamespace) + "=true"); err != nil {
		return fmt.Errorf("allow the kubelet in a user namespace: %w", err)
	}
	return nil
}
