package hostpath

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/volume"
	volumetest "k8s.io/kubernetes/pkg/volume/testing"
	upstream "k8s.io/kubernetes/pkg/volume/util/hostutil"
	"k8s.io/mount-utils"

	"github.com/tabernetes/tabernetes/core/node/hostutil"
	"github.com/tabernetes/tabernetes/core/node/mounttable"
)

// host is a kubelet's with the mounter of an in-tab node.
type host struct {
	fakeHost
	table *mounttable.Table
}

type fakeHost interface {
	volume.VolumeHost
	volume.KubeletVolumeHost
}

func (h host) GetMounter() mount.Interface     { return h.table }
func (h host) GetHostUtil() upstream.HostUtils { return hostutil.HostUtil{} }

// TestALocalVolumeIsTheNodes mounts /etc as a local PersistentVolume: the node's, never the
// machine's.
func TestALocalVolumeIsTheNodes(t *testing.T) {
	root := t.TempDir()
	machine := t.TempDir()
	for path, text := range map[string]string{
		filepath.Join(root, "etc/hostname"):      "node-1",
		filepath.Join(root, machine, "hostname"): "the node's own",
		filepath.Join(machine, "hostname"):       "the machine's",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(machine, filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	p := ProbeLocalVolumePlugins(root)[0]
	kubelet := volumetest.NewFakeKubeletVolumeHost(t, root, nil, nil)
	if err := p.Init(host{kubelet, mounttable.New(root)}); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"/etc":  "node-1",
		machine: "the node's own",
		"/link": "the node's own",
	} {
		name := "pv-" + strings.ReplaceAll(strings.Trim(path, "/"), "/", "-")
		spec := volume.NewSpecFromPersistentVolume(&corev1.PersistentVolume{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: corev1.PersistentVolumeSpec{PersistentVolumeSource: corev1.PersistentVolumeSource{
				Local: &corev1.LocalVolumeSource{Path: path},
			}},
		}, false)
		m, err := p.NewMounter(spec, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: "u"}})
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if err := m.SetUp(volume.MounterArgs{}); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if got, err := os.ReadFile(filepath.Join(m.GetPath(), "hostname")); err != nil || string(got) != want {
			t.Errorf("%s shows %q, %v; want %q", path, got, err, want)
		}
		if spec.PersistentVolume.Spec.Local.Path != path {
			t.Errorf("the volume's spec was changed to %s", spec.PersistentVolume.Spec.Local.Path)
		}
	}
}
