package hostpath

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/volume"
	"k8s.io/kubernetes/pkg/volume/local"
)

// localPlugin is upstream's plugin of local volumes; what it is given to mount lies below root.
// It has no block devices to offer: an in-tab node has none.
type localPlugin struct {
	volume.VolumePlugin
	root string
}

var _ volume.VolumePlugin = (*localPlugin)(nil)

// ProbeLocalVolumePlugins returns the plugin of local PersistentVolumes for a node whose "/" is root.
func ProbeLocalVolumePlugins(root string) []volume.VolumePlugin {
	plugins := local.ProbeVolumePlugins()
	for i, p := range plugins {
		plugins[i] = &localPlugin{VolumePlugin: p, root: root}
	}
	return plugins
}

// NewMounter gives upstream's mounter the path as it is below the root. Symbolic links are
// resolved as if root were "/".
func (p *localPlugin) NewMounter(spec *volume.Spec, pod *corev1.Pod) (volume.Mounter, error) {
	if spec.PersistentVolume == nil || spec.PersistentVolume.Spec.Local == nil {
		return nil, fmt.Errorf("volume %s: not a local volume", spec.Name())
	}
	asked := spec.PersistentVolume.Spec.Local.Path
	path, err := below(p.root, asked)
	if err != nil {
		return nil, fmt.Errorf("local path %s of volume %s: %w", asked, spec.Name(), err)
	}
	inside := *spec
	inside.PersistentVolume = spec.PersistentVolume.DeepCopy()
	inside.PersistentVolume.Spec.Local.Path = path
	return p.VolumePlugin.NewMounter(&inside, pod)
}
