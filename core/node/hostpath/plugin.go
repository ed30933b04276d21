package hostpath

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/volume"
	upstream "k8s.io/kubernetes/pkg/volume/hostpath"
)

// plugin is upstream's plugin; only where a path is given out, it is moved below
// root. Names that are derived from the path stay as the pod's author wrote them.
type plugin struct {
	volume.VolumePlugin
	root string
}

var _ volume.VolumePlugin = (*plugin)(nil)

// ProbeVolumePlugins returns the plugin for a node whose "/" is root.
func ProbeVolumePlugins(root string) []volume.VolumePlugin {
	plugins := upstream.ProbeVolumePlugins(volume.VolumeConfig{})
	for i, p := range plugins {
		plugins[i] = &plugin{VolumePlugin: p, root: root}
	}
	return plugins
}

// NewMounter checks and makes what the volume's type asks for below the root.
func (p *plugin) NewMounter(spec *volume.Spec, pod *corev1.Pod) (volume.Mounter, error) {
	inside, err := p.below(spec)
	if err != nil {
		return nil, err
	}
	return p.VolumePlugin.NewMounter(inside, pod)
}

// below returns a copy of spec with the path moved below the root. Symbolic
// links are resolved as if root were "/".
func (p *plugin) below(spec *volume.Spec) (*volume.Spec, error) {
	out := *spec
	var source *corev1.HostPathVolumeSource
	switch {
	case spec.Volume != nil && spec.Volume.HostPath != nil:
		out.Volume = spec.Volume.DeepCopy()
		source = out.Volume.HostPath
	case spec.PersistentVolume != nil && spec.PersistentVolume.Spec.HostPath != nil:
		out.PersistentVolume = spec.PersistentVolume.DeepCopy()
		source = out.PersistentVolume.Spec.HostPath
	default:
		return nil, fmt.Errorf("volume %s: not a hostPath volume", spec.Name())
	}
	path, err := below(p.root, source.Path)
	if err != nil {
		return nil, fmt.Errorf("hostPath %s of volume %s: %w", source.Path, spec.Name(), err)
	}
	source.Path = path
	return &out, nil
}
