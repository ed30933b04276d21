package volumes

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	storagehelpers "k8s.io/component-helpers/storage/volume"

	"github.com/tabernetes/tabernetes/core/localpath"
)

// dirMode keeps the machine's other users out of the volumes, each of which whoever has a pod can write.
const dirMode = 0o700

// localPath makes and removes the volumes of a node.
type localPath struct {
	node string
	dir  string // has one directory for each volume
}

// wants says whether a claim waits for this node to make its volume.
func (p *localPath) wants(claim *corev1.PersistentVolumeClaim) bool {
	return claim.Annotations[storagehelpers.AnnSelectedNode] == p.node &&
		claim.Annotations[storagehelpers.AnnStorageProvisioner] == localpath.Provisioner &&
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
	filesystem := corev1.PersistentVolumeFilesystem
	if m := claim.Spec.VolumeMode; m != nil && *m != filesystem {
		return nil, fmt.Errorf("a local volume is a directory, and not a %s device", *m)
	}
	// The pod's user writes in the volume's directory, whoever that is. A pod's mount is made by the
	// kubelet, and does not go through the directory above.
	for _, d := range []struct {
		path string
		mode os.FileMode
	}{{p.dir, dirMode}, {filepath.Join(p.dir, localpath.Name(claim)), 0o777}} {
		if err := os.MkdirAll(d.path, d.mode); err != nil {
			return nil, fmt.Errorf("make a volume: %w", err)
		}
		if err := os.Chmod(d.path, d.mode); err != nil {
			return nil, fmt.Errorf("make a volume: %w", err)
		}
	}
	v := localpath.Volume(claim, class.Name, p.node, filepath.Join(p.dir, localpath.Name(claim)))
	if class.ReclaimPolicy != nil {
		v.Spec.PersistentVolumeReclaimPolicy = *class.ReclaimPolicy
	}
	return v, nil
}

// over says whether a volume of this node is to be removed: its claim has gone, and nobody keeps it.
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

// own is the directory of a volume that this node has made.
func (p *localPath) own(v *corev1.PersistentVolume) (dir string, err error) {
	dir = filepath.Join(p.dir, v.Name)
	node, ok := localpath.Node(v)
	if !ok || v.Spec.Local.Path != dir || filepath.Dir(dir) != filepath.Clean(p.dir) {
		return "", fmt.Errorf("volume %s is not of %s", v.Name, p.dir)
	}
	if node != p.node {
		return "", fmt.Errorf("volume %s is not of node %s", v.Name, p.node)
	}
	return dir, nil
}
