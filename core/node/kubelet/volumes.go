package kubelet

import (
	"k8s.io/kubernetes/pkg/volume"
	"k8s.io/kubernetes/pkg/volume/configmap"
	"k8s.io/kubernetes/pkg/volume/downwardapi"
	"k8s.io/kubernetes/pkg/volume/emptydir"
	"k8s.io/kubernetes/pkg/volume/image"
	"k8s.io/kubernetes/pkg/volume/projected"
	"k8s.io/kubernetes/pkg/volume/secret"

	"github.com/tabernetes/tabernetes/core/node/hostpath"
)

// volumePlugins are those of cmd/kubelet/app/plugins.go that need no kernel.
// Left out: nfs, iscsi, fc, flexvolume and gitRepo, which call programs of the
// machine, and csi, which keeps its drivers and its node in variables of the
// package (one node per process) and ends the process when it cannot reach the API.
func volumePlugins(rootDir string) []volume.VolumePlugin {
	var plugins []volume.VolumePlugin
	plugins = append(plugins, emptydir.ProbeVolumePlugins()...)
	plugins = append(plugins, configmap.ProbeVolumePlugins()...)
	plugins = append(plugins, secret.ProbeVolumePlugins()...)
	plugins = append(plugins, downwardapi.ProbeVolumePlugins()...)
	plugins = append(plugins, projected.ProbeVolumePlugins()...)
	plugins = append(plugins, hostpath.ProbeVolumePlugins(rootDir)...)
	plugins = append(plugins, hostpath.ProbeLocalVolumePlugins(rootDir)...)
	plugins = append(plugins, image.ProbeVolumePlugins()...)
	return plugins
}
