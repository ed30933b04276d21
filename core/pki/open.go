package pki

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"k8s.io/kubernetes/cmd/kubeadm/app/util/pkiutil"

	"github.com/tabernetes/tabernetes/core/wholefile"
)

// Open takes up the authorities and the service account key in dir, or makes new ones there if
// dir does not exist, so that kubeconfigs and tokens outlive the process; and it signs the
// components' certificates anew. The files have kubeadm's names: those of a cluster that kubeadm
// made can be put there.
//
// A directory that lacks one of them is refused: what was signed with a lost key is lost as well,
// and that is for its owner to decide.
func Open(dir string, o Options) (*Cluster, Files, error) {
	c, err := load(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if _, missing := os.Stat(dir); errors.Is(missing, fs.ErrNotExist) {
			c, err = create(dir)
		}
	}
	if err != nil {
		return nil, Files{}, fmt.Errorf("take up the cluster's keys in %s: %w; put the file back, or remove that directory: the cluster then gets new keys, and its kubeconfigs and tokens have to be made anew", dir, err)
	}
	if err := c.signLeaves(o); err != nil {
		return nil, Files{}, err
	}
	for _, f := range c.leaves(dir) {
		if err := f.write(); err != nil {
			return nil, Files{}, err
		}
	}
	return c, filesIn(dir), nil
}

// load reads what create wrote.
func load(dir string) (*Cluster, error) {
	var c Cluster
	for _, a := range []struct {
		name string
		to   **Authority
	}{{"ca", &c.CA}, {"front-proxy-ca", &c.FrontProxyCA}} {
		cert, key, err := pkiutil.TryLoadCertAndKeyFromDisk(dir, a.name)
		if err != nil {
			return nil, err
		}
		*a.to = &Authority{Cert: cert, Key: key}
	}
	f := filesIn(dir)
	var err error
	if c.ServiceAccountKey, err = os.ReadFile(f.ServiceAccountKey); err != nil {
		return nil, err
	}
	if c.ServiceAccountPublicKey, err = os.ReadFile(f.ServiceAccountPublicKey); err != nil {
		return nil, err
	}
	return &c, nil
}

// create makes dir with new roots in it, all of them or none, whenever it is interrupted, by a loss
// of power as well.
func create(dir string) (*Cluster, error) {
	c, err := newRoots()
	if err != nil {
		return nil, err
	}
	half := dir + ".new"
	if err := os.RemoveAll(half); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(half, 0o700); err != nil {
		return nil, err
	}
	files, err := c.roots(half)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if err := f.write(); err != nil {
			return nil, err
		}
	}
	return c, wholefile.Rename(half, dir)
}
