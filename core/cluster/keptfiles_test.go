package cluster

import "testing"

func TestWhatOfANodesDiskIsKept(t *testing.T) {
	pod := "node-1/var/lib/kubelet/pods/2f1e"
	for name, kept := range map[string]bool{
		"node-1/data/file": true,
		"node-1/opt/local-path-provisioner/pvc-1_default_data/file": true,
		pod: true,
		pod + "/volumes/kubernetes.io~empty-dir/cache":        true,
		pod + "/plugins/kubernetes.io~empty-dir/cache/ready":  true,
		pod + "/containers/main/1234":                         true,
		pod + "/volumes/kubernetes.io~secret":                 false,
		pod + "/volumes/kubernetes.io~projected":              false,
		"node-1/var/lib/kubelet/pki":                          false,
		"node-1/var/lib/kubelet/plugins_registry":             false,
		"node-1/var/lib/kubelet/cpu_manager_state":            false,
		"node-1/var/lib/containerd/containers/ab/status.json": true,
		"node-1/var/lib/containerd/containers/ab/rootfs":      false,
		"node-1/var/lib/containerd/sandboxes/ab/status.json":  true,
		"node-1/var/lib/containerd/images/pulled.json":        true,
		"node-1/var/lib/containerd/images/shared":             false,
		"node-1/var/log/pods/default_web_1/main/0.log":        true,
		"node-1/tmp": false,
	} {
		if PassingFile(name) == kept {
			t.Errorf("%s: kept %v, want %v", name, !kept, kept)
		}
	}
	if !LogFile("node-1/var/log/pods/default_web_1/main/0.log") || LogFile("node-1/var/log/pods") {
		t.Error("which files are logs is not as the kubelet has it")
	}
}
