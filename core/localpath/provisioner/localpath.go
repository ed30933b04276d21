package provisioner

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	storagehelpers "k8s.io/component-helpers/storage/volume"

	"github.com/tabernetes/tabernetes/core/localpath"
)

// dirMode keeps the machine's other users out of the volumes, each of which whoever has a pod can write.
const dirMode = 0o700

// Place is where the volumes of a node are: Dir has one directory for each of them, which is Path for
// who is on the node. On a machine the two are the same.
type Place struct{ Dir, Path string }

// localPath makes and removes the volumes of the nodes that it knows the places of.
type localPath struct {
	places func(node string) (Place, bool)
}

// wants says whether a claim waits for a volume on one of these nodes.
func (p *localPath) wants(claim *corev1.PersistentVolumeClaim) bool {
	_, ours := p.places(claim.Annotations[storagehelpers.AnnSelectedNode])
	return ours && claim.Annotations[storagehelpers.AnnStorageProvisioner] == localpath.Provisioner &&
		claim.Spec.VolumeName == "" && claim.DeletionTimestamp == nil
}

// provision makes the directory for a claim and returns its volume, bound to the claim.
func (p *localPath) provision(claim *corev1.PersistentVolumeClaim, class *storagev1.StorageClass) (*corev1.PersistentVolume, error) {
	for _, m := range claim.Spec.AccessModes {
		if m != corev1.ReadWriteOnce && m != corev1.ReadWriteOncePod {
			return nil, fmt.Errorf("a local volume is %s or %s; %s needs storage that several nodes reach", corev1.ReadWriteOnce, corev1.ReadWriteOncePod, m)
		}
	}
	if claim.Spec.Selector != nil || claim.Spec.DataSource != nil || claim.Spec.DataSourceRef != nil {
		return nil, errors.New("a local volume is made empty: neither a selector nor a data source is possible")
	}
	node := claim.Annotations[storagehelpers.AnnSelectedNode]
	place, ok := p.places(node)
	if !ok {
		return nil, fmt.Errorf("make a volume: node %q is not ours", node)
	}
	dir := filepath.Join(place.Dir, localpath.Name(claim))
	if filepath.Dir(dir) != filepath.Clean(place.Dir) {
		return nil, fmt.Errorf("make a volume: the claim's UID %q is no name of a directory", claim.UID)
	}
	filesystem := corev1.PersistentVolumeFilesystem
	if m := claim.Spec.VolumeMode; m != nil && *m != filesystem {
		return nil, fmt.Errorf("a local volume is a directory, and not a %s device", *m)
	}
	if err := makeDir(place.Dir, dir); err != nil {
		return nil, err
	}
	v := localpath.Volume(claim, class.Name, node, filepath.Join(place.Path, localpath.Name(claim)))
	if class.ReclaimPolicy != nil {
		v.Spec.PersistentVolumeReclaimPolicy = *class.ReclaimPolicy
	}
	return v, nil
}

// makeDir makes a volume's directory below that of all.
func makeDir(all, dir string) error {
	// The pod's user writes in the volume's directory, whoever that is. A pod's mount is made by the
	// kubelet, and does not go through the directory above.
	for _, d := range []struct {
		path string
		mode os.FileMode
	}{{all, dirMode}, {dir, 0o777}} {
		if err := os.MkdirAll(d.path, d.mode); err != nil {
			return fmt.Errorf("make a volume: %w", err)
		}
		if err := os.Chmod(d.path, d.mode); err != nil {
			return fmt.Errorf("make a volume: %w", err)
		}
	}
	return nil
}

// again makes the directory of a volume if there is none; of one that is not of here it makes none.
func (p *localPath) again(v *corev1.PersistentVolume) (made bool, err error) {
	dir, err := p.own(v)
	if err != nil {
		return false, nil
	}
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err := makeDir(filepath.Dir(dir), dir); err != nil {
		return false, err
	}
	return true, nil
}

// over says whether a volume of one of these nodes is to be removed: its claim has gone, and nobody keeps it.
func (p *localPath) over(v *corev1.PersistentVolume) bool {
	_, err := p.own(v)
	return err == nil && localpath.Over(v)
}

// remove removes a volume's directory.
func (p *localPath) remove(v *corev1.PersistentVolume) error {
	dir, err := p.own(v)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("remove a volume: %w", err)
	}
	return nil
}

// own is the directory of a volume that was made here.
func (p *localPath) own(v *corev1.PersistentVolume) (dir string, err error) {
	node, ok := localpath.Node(v)
	if !ok {
		return "", fmt.Errorf("volume %s is none of %s", v.Name, localpath.Provisioner)
	}
	place, ok := p.places(node)
	if !ok {
		return "", fmt.Errorf("volume %s is of node %s, which is another's", v.Name, node)
	}
	dir = filepath.Join(place.Dir, v.Name)
	if v.Spec.Local.Path != filepath.Join(place.Path, v.Name) || filepath.Dir(dir) != filepath.Clean(place.Dir) {
		return "", fmt.Errorf("volume %s is not of %s", v.Name, place.Path)
	}
	return dir, nil
}
