package kubelet

import (
	"context"
	"fmt"
	"os"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	logsapi "k8s.io/component-base/logs/api/v1"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/cmd/kubelet/app"

	_ "github.com/tabernetes/tabernetes/core/version" // the Node reports it
)

// Run runs the kubelet until ctx is done; it waits for a certificate first, if it has none. It does
// not come back before ctx is done, unless it fails. Where upstream gives up, it ends the process.
func Run(ctx context.Context, o Options) error {
	s, err := configuration(o)
	if err != nil {
		return err
	}
	for _, dir := range []string{s.PodLogsDir, s.CertDirectory, s.VolumePluginDir} {
		if err := os.MkdirAll(dir, 0o750); err != nil {
			return fmt.Errorf("make the kubelet's directories: %w", err)
		}
	}
	for _, t := range o.Taints {
		klog.InfoS("The node keeps pods away that do not tolerate its taint", "taint", taintText(t))
	}
	if err := logsapi.ValidateAndApply(&s.Logging, utilfeature.DefaultFeatureGate); err != nil {
		return fmt.Errorf("apply the kubelet's logging options: %w", err)
	}
	deps, err := app.UnsecuredDependencies(ctx, s, utilfeature.DefaultFeatureGate)
	if err != nil {
		return fmt.Errorf("make the kubelet's dependencies: %w", err)
	}
	return app.Run(ctx, s, deps, utilfeature.DefaultFeatureGate)
}
