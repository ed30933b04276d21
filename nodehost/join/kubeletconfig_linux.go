package join

import (
	"fmt"

	"github.com/tabernetes/tabernetes/nodehost/cgroup"
	"github.com/tabernetes/tabernetes/nodehost/kubelet"
	"github.com/tabernetes/tabernetes/nodehost/trusted"
)

// checkConfig looks at a KubeletConfiguration before anything is done with it; "" is none. It refuses one that
// somebody else can change, who could have root's kubelet run pods as they like (staticPodPath), and one that the
// kubelet would not start with.
func checkConfig(file string) error {
	if file == "" {
		return nil
	}
	err := trusted.Check(file)
	if err == nil {
		err = kubelet.CheckFile(file, cgroup.Detect().Driver())
	}
	if err != nil {
		return fmt.Errorf("--kubelet-config: %w; or go on with upstream's defaults: --kubelet-config none", err)
	}
	return nil
}
