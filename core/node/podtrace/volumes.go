package podtrace

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/volume"

	"github.com/tabernetes/tabernetes/core/trace"
)

var volumeKind = declare("volume", "k8s.io/kubernetes/pkg/volume/util/operationexecutor", "operationGenerator.GenerateMountVolumeFunc", "volumeMounter.SetUp(")

// VolumePlugins tells of each volume that a plugin mounts. A plugin that is more than a plain one (of
// persistent volumes, of block devices) is left as it is, since upstream asks what it can by its type.
func (t *Tap) VolumePlugins(plugins []volume.VolumePlugin) []volume.VolumePlugin {
	if t == nil {
		return plugins
	}
	told := make([]volume.VolumePlugin, len(plugins))
	for i, p := range plugins {
		told[i] = p
		if isPlain(p) {
			told[i] = plugin{p, t}
		}
	}
	return told
}

// isPlain is whether a plugin is a VolumePlugin and nothing else that pkg/volume/plugins.go knows of.
func isPlain(p volume.VolumePlugin) bool {
	switch p.(type) {
	case volume.PersistentVolumePlugin, volume.RecyclableVolumePlugin, volume.DeletableVolumePlugin,
		volume.ProvisionableVolumePlugin, volume.AttachableVolumePlugin, volume.DeviceMountableVolumePlugin,
		volume.ExpandableVolumePlugin, volume.NodeExpandableVolumePlugin, volume.BlockVolumePlugin:
		return false
	}
	return true
}

type plugin struct {
	volume.VolumePlugin
	tap *Tap
}

// NewMounter implements volume.VolumePlugin.
func (p plugin) NewMounter(spec *volume.Spec, pod *corev1.Pod) (volume.Mounter, error) {
	m, err := p.VolumePlugin.NewMounter(spec, pod)
	if err != nil {
		return nil, err
	}
	return mounter{m, p, spec.Name(), pod}, nil
}

type mounter struct {
	volume.Mounter
	plugin plugin
	name   string
	pod    *corev1.Pod
}

type volumeDetails struct {
	Volume string `json:"volume"`
	Plugin string `json:"plugin"`
	Path   string `json:"path"`
	Error  string `json:"error,omitempty"`
}

// SetUp implements volume.Mounter. What it asks of the API, such as a token, it asks in this
// goroutine.
func (m mounter) SetUp(args volume.MounterArgs) error {
	t := m.plugin.tap
	s := trace.Step{ID: t.bus.Reserve(), At: time.Now(), Kind: volumeKind}
	done := trace.Mark(s.ID)
	err := m.Mounter.SetUp(args)
	done()
	d := volumeDetails{Volume: trace.Text(m.name), Plugin: m.plugin.GetPluginName(), Path: trace.Text(m.GetPath())}
	if err != nil {
		d.Error = trace.Text(err.Error())
	}
	s.Details = d
	t.tellOf(m.pod, s)
	return err
}
