package podtrace

import (
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/volume"

	"github.com/tabernetes/tabernetes/core/trace"
)

var volumeKind = declare("volume", "k8s.io/kubernetes/pkg/volume/util/operationexecutor", "operationGenerator.GenerateMountVolumeFunc", "volumeMounter.SetUp(")

// VolumePlugins tells of each volume that a plugin mounts. Upstream asks what a plugin can by its type, so that
// what is handed back has to have the methods of what was given, and no others: plain plugins, and those of
// hostPath and local volumes. Any other is left as it is, and not told of.
func (t *Tap) VolumePlugins(plugins []volume.VolumePlugin) []volume.VolumePlugin {
	if t == nil {
		return plugins
	}
	told := make([]volume.VolumePlugin, len(plugins))
	for i, p := range plugins {
		told[i] = t.wrap(p)
	}
	return told
}

// The plugins that are more than plain ones, with what they are.
type (
	hostPathPlugin interface {
		volume.PersistentVolumePlugin
		volume.RecyclableVolumePlugin
		volume.DeletableVolumePlugin
		volume.ProvisionableVolumePlugin
	}
	persistentPlugin interface{ volume.PersistentVolumePlugin }
)

type toldHostPath struct {
	hostPathPlugin
	tap *Tap
}

// NewMounter implements volume.VolumePlugin.
func (p toldHostPath) NewMounter(spec *volume.Spec, pod *corev1.Pod) (volume.Mounter, error) {
	return p.tap.mounter(p.hostPathPlugin, spec, pod)
}

type toldPersistent struct {
	persistentPlugin
	tap *Tap
}

// NewMounter implements volume.VolumePlugin.
func (p toldPersistent) NewMounter(spec *volume.Spec, pod *corev1.Pod) (volume.Mounter, error) {
	return p.tap.mounter(p.persistentPlugin, spec, pod)
}

// wrap is p with its mounts told of; p itself if it is of an unknown shape.
func (t *Tap) wrap(p volume.VolumePlugin) volume.VolumePlugin {
	var told volume.VolumePlugin = plugin{p, t}
	if h, ok := p.(hostPathPlugin); ok {
		told = toldHostPath{h, t}
	} else if v, ok := p.(persistentPlugin); ok {
		told = toldPersistent{v, t}
	}
	if abilities(told) != abilities(p) {
		return p
	}
	return told
}

// abilities are which of the interfaces that pkg/volume/plugins.go asks for a plugin has.
func abilities(p volume.VolumePlugin) (has [9]bool) {
	_, has[0] = p.(volume.PersistentVolumePlugin)
	_, has[1] = p.(volume.RecyclableVolumePlugin)
	_, has[2] = p.(volume.DeletableVolumePlugin)
	_, has[3] = p.(volume.ProvisionableVolumePlugin)
	_, has[4] = p.(volume.AttachableVolumePlugin)
	_, has[5] = p.(volume.DeviceMountableVolumePlugin)
	_, has[6] = p.(volume.ExpandableVolumePlugin)
	_, has[7] = p.(volume.NodeExpandableVolumePlugin)
	_, has[8] = p.(volume.BlockVolumePlugin)
	return has
}

type plugin struct {
	volume.VolumePlugin
	tap *Tap
}

// NewMounter implements volume.VolumePlugin.
func (p plugin) NewMounter(spec *volume.Spec, pod *corev1.Pod) (volume.Mounter, error) {
	return p.tap.mounter(p.VolumePlugin, spec, pod)
}

// mounter is that of a plugin for a volume of a pod.
func (t *Tap) mounter(of volume.VolumePlugin, spec *volume.Spec, pod *corev1.Pod) (volume.Mounter, error) {
	m, err := of.NewMounter(spec, pod)
	if err != nil {
		return nil, err
	}
	d := volumeDetails{Volume: trace.Text(spec.Name()), Plugin: of.GetPluginName(), From: source(spec, pod), ReadOnly: spec.ReadOnly}
	return mounter{m, t, d, pod}, nil
}

type mounter struct {
	volume.Mounter
	tap *Tap
	// details are what is known of the volume before it is mounted.
	details volumeDetails
	pod     *corev1.Pod
}

type volumeDetails struct {
	Volume string `json:"volume"`
	Plugin string `json:"plugin"`
	// From is what the volume is made of, by name, never what is in it: "configMap web", "emptyDir in
	// memory", "claim data, volume pv-1", "hostPath /data"; of a projected one all that it is made of.
	From     string `json:"from,omitempty"`
	ReadOnly bool   `json:"readOnly,omitempty"`
	Path     string `json:"path"`
	Error    string `json:"error,omitempty"`
}

// SetUp implements volume.Mounter. What it asks of the API, such as a token, it asks in this
// goroutine.
func (m mounter) SetUp(args volume.MounterArgs) error {
	s := trace.Step{ID: m.tap.bus.Reserve(), At: time.Now(), Kind: volumeKind}
	done := trace.Mark(s.ID)
	err := m.Mounter.SetUp(args)
	done()
	d := m.details
	d.Path = trace.Text(m.GetPath())
	if err != nil {
		d.Error = trace.Text(err.Error())
	}
	s.Details = d
	m.tap.tellOf(m.pod, s)
	return err
}

// source says what a volume is made of.
func source(spec *volume.Spec, pod *corev1.Pod) string {
	if pv := spec.PersistentVolume; pv != nil {
		text := "volume " + pv.Name
		for i := range pod.Spec.Volumes {
			// The kubelet names a claim's volume by the claim; of the pod it is known by the reference.
			if c := pod.Spec.Volumes[i].PersistentVolumeClaim; c != nil && pv.Spec.ClaimRef != nil && c.ClaimName == pv.Spec.ClaimRef.Name {
				text = "claim " + c.ClaimName + ", " + text
				break
			}
		}
		switch {
		case pv.Spec.HostPath != nil:
			text += ", hostPath " + pv.Spec.HostPath.Path
		case pv.Spec.Local != nil:
			text += ", local " + pv.Spec.Local.Path
		}
		return trace.Text(text)
	}
	v := spec.Volume
	switch {
	case v == nil:
		return ""
	case v.ConfigMap != nil:
		return trace.Text("configMap " + v.ConfigMap.Name)
	case v.Secret != nil:
		return trace.Text("secret " + v.Secret.SecretName)
	case v.EmptyDir != nil && v.EmptyDir.Medium == corev1.StorageMediumMemory:
		return "emptyDir in memory"
	case v.EmptyDir != nil:
		return "emptyDir"
	case v.HostPath != nil:
		return trace.Text("hostPath " + v.HostPath.Path)
	case v.DownwardAPI != nil:
		return "downwardAPI"
	case v.Projected != nil:
		return trace.Text(projected(v.Projected))
	}
	return ""
}

func projected(p *corev1.ProjectedVolumeSource) string {
	var parts []string
	for i := range p.Sources {
		switch s := &p.Sources[i]; {
		case s.ServiceAccountToken != nil:
			parts = append(parts, "serviceAccountToken")
		case s.ConfigMap != nil:
			parts = append(parts, "configMap "+s.ConfigMap.Name)
		case s.Secret != nil:
			parts = append(parts, "secret "+s.Secret.Name)
		case s.DownwardAPI != nil:
			parts = append(parts, "downwardAPI")
		}
		if len(parts) == maxNames {
			break
		}
	}
	return strings.Join(parts, ", ")
}
