package hostpath

import (
	"os"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/volume"
	volumetest "k8s.io/kubernetes/pkg/volume/testing"

	"github.com/tabernetes/tabernetes/core/node/hostutil"
	"github.com/tabernetes/tabernetes/core/program"
)

func TestPathsStayInTheNode(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	if err := os.Symlink(outside, filepath.Join(root, "out")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(program.SealLink("/data"), filepath.Join(root, "pods")); err != nil {
		t.Fatal(err)
	}
	p := ProbeVolumePlugins(root)[0]
	if err := p.Init(volumetest.NewFakeKubeletVolumeHost(t, root, nil, nil)); err != nil {
		t.Fatal(err)
	}

	create := corev1.HostPathDirectoryOrCreate
	for path, want := range map[string]string{
		"/data/db": filepath.Join(root, "data/db"),
		"/out/x":   filepath.Join(root, outside, "x"),
		"/pods/x":  filepath.Join(root, "data/x"), // a link that a pod has made
		"/..":      root,
	} {
		spec := volume.NewSpecFromVolume(&corev1.Volume{Name: "v", VolumeSource: corev1.VolumeSource{
			HostPath: &corev1.HostPathVolumeSource{Path: path, Type: &create},
		}})
		m, err := p.NewMounter(spec, &corev1.Pod{})
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if got := m.GetPath(); got != want {
			t.Errorf("%s → %s; want %s", path, got, want)
		}
		if spec.Volume.HostPath.Path != path {
			t.Errorf("the pod's spec was changed to %s", spec.Volume.HostPath.Path)
		}
	}

	spec := volume.NewSpecFromVolume(&corev1.Volume{Name: "v", VolumeSource: corev1.VolumeSource{
		HostPath: &corev1.HostPathVolumeSource{Path: "/data/db", Type: &create},
	}})
	m, err := p.NewMounter(spec, &corev1.Pod{})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.SetUp(volume.MounterArgs{}); err != nil {
		t.Fatal(err)
	}
	if ok, _ := (hostutil.HostUtil{}).PathExists(filepath.Join(root, "data/db")); !ok {
		t.Error("DirectoryOrCreate made nothing")
	}
	if entries, _ := os.ReadDir(outside); len(entries) != 0 {
		t.Errorf("made outside of the node: %v", entries)
	}
}
