package provisioner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/record"
	storagehelpers "k8s.io/component-helpers/storage/volume"

	"github.com/tabernetes/tabernetes/core/localpath"
)

var class = &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "local-path"}, Provisioner: localpath.Provisioner}

// claim is one for which the scheduler has chosen a node.
func claim(name, node string, modes ...corev1.PersistentVolumeAccessMode) *corev1.PersistentVolumeClaim {
	return &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: "uid", Annotations: map[string]string{
			storagehelpers.AnnSelectedNode: node, storagehelpers.AnnStorageProvisioner: localpath.Provisioner,
		}},
		Spec: corev1.PersistentVolumeClaimSpec{AccessModes: modes, StorageClassName: &class.Name},
	}
}

// on is where one node's volumes are made.
func on(node, dir string) *localPath {
	return &localPath{places: func(name string) (Place, bool) { return Place{Dir: dir, Path: dir}, name == node }}
}

func TestADirectoryForAClaim(t *testing.T) {
	p := on("alpha", filepath.Join(t.TempDir(), "volumes"))
	c := claim("data", "alpha", corev1.ReadWriteOnce)
	var v *corev1.PersistentVolume
	for range 2 { // the second time after an answer that got lost
		var err error
		if v, err = p.provision(c, class); err != nil {
			t.Fatal(err)
		}
		st, err := os.Stat(v.Spec.Local.Path)
		if err != nil || st.Mode().Perm() != 0o777 {
			t.Fatalf("%v, %v", st, err)
		}
	}
	if err := os.WriteFile(filepath.Join(v.Spec.Local.Path, "x"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if v.Status.Phase = corev1.VolumeBound; p.over(v) {
		t.Error("a volume that is in use is over")
	}
	if v.Status.Phase = corev1.VolumeReleased; !p.over(v) {
		t.Error("a volume whose claim has gone is kept")
	}
	for range 2 {
		if err := p.remove(v); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(v.Spec.Local.Path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after it was removed: %v", err)
	}
	block := claim("block", "alpha", corev1.ReadWriteOnce)
	mode := corev1.PersistentVolumeBlock
	block.Spec.VolumeMode = &mode
	copied := claim("copy", "alpha", corev1.ReadWriteOnce)
	copied.Spec.DataSource = &corev1.TypedLocalObjectReference{}
	for _, c := range []*corev1.PersistentVolumeClaim{claim("many", "alpha", corev1.ReadWriteMany), block, copied} {
		if _, err := p.provision(c, class); err == nil {
			t.Errorf("a volume is made for %s", c.Name)
		}
	}
}

// A volume can be written by the pod's user, whoever that is, and reached by no other user of the machine:
// not below a directory that an older version made, either.
func TestNobodyElseReachesAVolume(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "volumes")
	closed := func() error {
		st, err := os.Stat(dir)
		if err == nil && st.Mode().Perm() != 0o700 {
			err = fmt.Errorf("the volumes' directory is %s", st.Mode())
		}
		return err
	}
	if _, err := on("alpha", dir).provision(claim("data", "alpha", corev1.ReadWriteOnce), class); err != nil {
		t.Fatal(err)
	}
	if err := closed(); err != nil {
		t.Error(err)
	}
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	if _, err := OnNode("alpha", dir); err != nil {
		t.Error(err)
	}
	if err := closed(); err != nil {
		t.Error(err)
	}
}

// Nothing outside of the node's directory is ever removed, whatever a volume says.
func TestOnlyItsOwnIsRemoved(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "volumes")
	p := on("alpha", dir)
	v, err := p.provision(claim("data", "alpha", corev1.ReadWriteOnce), class)
	if err != nil {
		t.Fatal(err)
	}
	v.Status.Phase = corev1.VolumeReleased
	for name, change := range map[string]func(*corev1.PersistentVolume){
		"another path":                   func(v *corev1.PersistentVolume) { v.Spec.Local.Path = root },
		"a path above":                   func(v *corev1.PersistentVolume) { v.Name, v.Spec.Local.Path = "..", root },
		"the directory":                  func(v *corev1.PersistentVolume) { v.Name, v.Spec.Local.Path = ".", dir },
		"a path of the operating system": func(v *corev1.PersistentVolume) { v.Spec.Local.Path = "/etc/" + v.Name },
		"another node": func(v *corev1.PersistentVolume) {
			v.Spec.NodeAffinity.Required.NodeSelectorTerms[0].MatchExpressions[0].Values[0] = "beta"
		},
		"another provisioner": func(v *corev1.PersistentVolume) { v.Annotations = nil },
		"no local volume":     func(v *corev1.PersistentVolume) { v.Spec.Local = nil },
		"no node affinity":    func(v *corev1.PersistentVolume) { v.Spec.NodeAffinity = nil },
	} {
		other := v.DeepCopy()
		change(other)
		if err := p.remove(other); err == nil || p.over(other) {
			t.Errorf("%s: it is removed", name)
		}
	}
	if _, err := os.Stat(v.Spec.Local.Path); err != nil {
		t.Error(err)
	}
}

// Of two claims the one that was given this node gets its volume; a released volume goes, with its
// directory.
func TestRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "volumes")
	p := on("alpha", dir)
	old := claim("old", "alpha", corev1.ReadWriteOnce)
	old.UID = "old"
	released, err := p.provision(old, class)
	if err != nil {
		t.Fatal(err)
	}
	released.Status.Phase = corev1.VolumeReleased
	mine, theirs := claim("mine", "alpha", corev1.ReadWriteOnce), claim("theirs", "beta", corev1.ReadWriteOnce)
	mine.UID, theirs.UID = "mine", "theirs"
	client := fake.NewClientset(class, mine, theirs, released)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Run(ctx, Options{Client: client, Host: "alpha", Places: p.places}) }()
	for {
		all, err := client.CoreV1().PersistentVolumes().List(ctx, metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if len(all.Items) == 1 && all.Items[0].Name == "pvc-mine" && all.Items[0].Spec.ClaimRef.Name == "mine" {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 || entries[0].Name() != "pvc-mine" {
		t.Errorf("there is %v, %v", entries, err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// Several nodes of one process have a root each: a volume's path is below that, and no claim leads out.
func TestSeveralNodes(t *testing.T) {
	root := t.TempDir()
	p := &localPath{places: func(node string) (Place, bool) {
		return Place{Dir: filepath.Join(root, node, "volumes"), Path: "/volumes"}, node == "node-1" || node == "node-2"
	}}
	for _, node := range []string{"node-1", "node-2"} {
		v, err := p.provision(claim("data", node, corev1.ReadWriteOncePod), class)
		if err != nil || v.Spec.Local.Path != "/volumes/pvc-uid" {
			t.Fatalf("%+v, %v", v, err)
		}
		dir := filepath.Join(root, node, "volumes/pvc-uid")
		if _, err := os.Stat(dir); err != nil {
			t.Fatal(err)
		}
		if err := p.remove(v); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("after it was removed: %v", err)
		}
	}
	away := claim("data", "node-1", corev1.ReadWriteOnce)
	away.UID = "x/../../.."
	for _, c := range []*corev1.PersistentVolumeClaim{away, claim("data", "node-3", corev1.ReadWriteOnce)} {
		if v, err := p.provision(c, class); err == nil {
			t.Errorf("a volume at %s", v.Spec.Local.Path)
		}
	}
}

// TestAClaimGrows: volume and claim say the size that is asked for; a claim that does not have its volume, or has one that
// is none of these nodes', changes nothing, and where the claim's status may not be written the volume's size is.
func TestAClaimGrows(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "volumes")
	p := on("alpha", dir)
	storage := func(size string) corev1.ResourceList {
		return corev1.ResourceList{corev1.ResourceStorage: resource.MustParse(size)}
	}
	for name, c := range map[string]struct {
		change       func(*corev1.PersistentVolumeClaim, *corev1.PersistentVolume)
		forbidden    bool
		volume, want string
	}{
		"asks for more": {volume: "3Gi", want: "3Gi"},
		"asks for less": {volume: "1Gi", want: "1Gi", change: func(c *corev1.PersistentVolumeClaim, _ *corev1.PersistentVolume) {
			c.Spec.Resources.Requests = storage("1Mi")
		}},
		"the claim alone was not written": {volume: "3Gi", want: "3Gi", change: func(_ *corev1.PersistentVolumeClaim, v *corev1.PersistentVolume) {
			v.Spec.Capacity = storage("3Gi")
		}},
		"its status may not be written": {volume: "3Gi", want: "1Gi", forbidden: true},
		"another claim's volume": {volume: "1Gi", want: "1Gi", change: func(_ *corev1.PersistentVolumeClaim, v *corev1.PersistentVolume) {
			v.Spec.ClaimRef.UID = "another"
		}},
		"another node's": {volume: "1Gi", want: "1Gi", change: func(_ *corev1.PersistentVolumeClaim, v *corev1.PersistentVolume) {
			v.Spec.NodeAffinity.Required.NodeSelectorTerms[0].MatchExpressions[0].Values[0] = "beta"
		}},
		"another provisioner's": {volume: "1Gi", want: "1Gi", change: func(_ *corev1.PersistentVolumeClaim, v *corev1.PersistentVolume) {
			v.Annotations = nil
		}},
		"at another path": {volume: "1Gi", want: "1Gi", change: func(_ *corev1.PersistentVolumeClaim, v *corev1.PersistentVolume) {
			v.Spec.Local.Path = "/etc"
		}},
		"not bound": {volume: "1Gi", want: "1Gi", change: func(c *corev1.PersistentVolumeClaim, _ *corev1.PersistentVolume) {
			c.Status.Phase = corev1.ClaimLost
		}},
	} {
		t.Run(name, func(t *testing.T) {
			pvc := claim("data", "alpha", corev1.ReadWriteOnce)
			pvc.Spec.Resources.Requests = storage("1Gi")
			pv, err := p.provision(pvc, class)
			if err != nil {
				t.Fatal(err)
			}
			pv.UID = "volume"
			pvc.Spec.VolumeName, pvc.Status.Phase, pvc.Status.Capacity = pv.Name, corev1.ClaimBound, storage("1Gi")
			pvc.Spec.Resources.Requests = storage("3Gi")
			if c.change != nil {
				c.change(pvc, pv)
			}
			client := fake.NewClientset(class, pvc, pv)
			if c.forbidden {
				client.PrependReactor("patch", "persistentvolumeclaims", func(k8stesting.Action) (bool, runtime.Object, error) {
					return true, nil, apierrors.NewForbidden(corev1.Resource("persistentvolumeclaims"), pvc.Name, nil)
				})
			}
			factory := informers.NewSharedInformerFactory(client, 0)
			v := &volumes{
				localPath: *p, client: client, events: record.NewFakeRecorder(10),
				claims:  factory.Core().V1().PersistentVolumeClaims().Lister(),
				volumes: factory.Core().V1().PersistentVolumes().Lister(),
				classes: factory.Storage().V1().StorageClasses().Lister(),
			}
			factory.Start(t.Context().Done())
			factory.WaitForCacheSync(t.Context().Done())
			if err := v.sync(t.Context(), "claim/default/data"); err != nil {
				t.Fatal(err)
			}
			pv, err = client.CoreV1().PersistentVolumes().Get(t.Context(), pv.Name, metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			pvc, err = client.CoreV1().PersistentVolumeClaims("default").Get(t.Context(), "data", metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if got := pv.Spec.Capacity.Storage().String(); got != c.volume {
				t.Errorf("the volume has %s, not %s", got, c.volume)
			}
			if got := pvc.Status.Capacity.Storage().String(); got != c.want {
				t.Errorf("the claim has %s, not %s", got, c.want)
			}
		})
	}
}

// TestAVolumeWithoutItsFiles: one whose object came without what was on the disk begins empty, which is said, where that is
// wanted; what is there stays as it is, and nothing is made at a path that is not its own.
func TestAVolumeWithoutItsFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "volumes")
	p := on("alpha", dir)
	bound := func(name string) *corev1.PersistentVolume {
		c := claim(name, "alpha", corev1.ReadWriteOnce)
		c.UID = types.UID(name)
		v, err := p.provision(c, class)
		if err != nil {
			t.Fatal(err)
		}
		v.Status.Phase = corev1.VolumeBound
		return v
	}
	lost, there, elsewhere, going := bound("lost"), bound("there"), bound("elsewhere"), bound("going")
	if err := os.WriteFile(filepath.Join(there.Spec.Local.Path, "page"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, v := range []*corev1.PersistentVolume{lost, elsewhere, going} {
		if err := p.remove(v); err != nil {
			t.Fatal(err)
		}
	}
	elsewhere.Spec.Local.Path = filepath.Join(filepath.Dir(dir), "elsewhere")
	going.DeletionTimestamp = &metav1.Time{Time: time.Now()}
	for _, anew := range []bool{false, true} {
		events := record.NewFakeRecorder(10)
		v := &volumes{localPath: *p, anew: anew, events: events}
		for _, one := range []*corev1.PersistentVolume{lost, there, elsewhere, going} {
			if err := v.restore(one); err != nil {
				t.Error(err)
			}
		}
		all, err := os.ReadDir(dir)
		if err != nil || len(all) != map[bool]int{false: 1, true: 2}[anew] {
			t.Errorf("%t: %v, %v", anew, all, err)
		}
		if len(events.Events) != len(all)-1 {
			t.Errorf("%t: %d events", anew, len(events.Events))
		}
	}
	if st, err := os.Stat(lost.Spec.Local.Path); err != nil || st.Mode().Perm() != 0o777 {
		t.Errorf("%v, %v", st, err)
	}
	if b, err := os.ReadFile(filepath.Join(there.Spec.Local.Path, "page")); err != nil || string(b) != "x" {
		t.Errorf("%q, %v", b, err)
	}
	if _, err := os.Stat(elsewhere.Spec.Local.Path); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
