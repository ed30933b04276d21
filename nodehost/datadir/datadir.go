package datadir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tabernetes/tabernetes/core/store"
	"github.com/tabernetes/tabernetes/core/store/etcdfile"
	"github.com/tabernetes/tabernetes/core/store/mvcc"
	"github.com/tabernetes/tabernetes/core/store/persist"
	"github.com/tabernetes/tabernetes/core/wholefile"
)

// Dir is the path of a data directory.
type Dir string

// Store is where the store is kept.
func (d Dir) Store() string { return filepath.Join(string(d), "store") }

// Summary says what is in a store.
type Summary struct {
	Revision   int64
	Keys       int
	ValueBytes int64
}

func summary(s mvcc.State) Summary {
	sum := Summary{Revision: s.Rev, Keys: len(s.KVs)}
	for i := range s.KVs {
		sum.ValueBytes += int64(len(s.KVs[i].Value))
	}
	return sum
}

// Verify reads all of the store and changes nothing. It fails with a *persist.DamageError if the
// files are not as they were written.
func (d Dir) Verify() (Summary, error) {
	s, err := store.Read(d.Store())
	return summary(s), err
}

// Repair keeps what comes before the damage. The files as they were are copied first, to the
// directory that it returns; without damage there is nothing to copy, and copy is empty.
func (d Dir) Repair() (sum Summary, lost []persist.Loss, copied string, err error) {
	sum, err = d.Verify()
	if damage := (*persist.DamageError)(nil); !errors.As(err, &damage) {
		return sum, nil, "", err
	}
	if copied, err = d.copyStore(); err != nil {
		return sum, nil, "", fmt.Errorf("copy the store before the repair: %w", err)
	}
	if _, lost, err = store.Repair(d.Store()); err != nil {
		return sum, lost, copied, err
	}
	sum, err = d.Verify()
	return sum, lost, copied, err
}

// copyStore copies the store's files to a directory beside it that did not exist.
func (d Dir) copyStore() (string, error) {
	for n := 1; ; n++ {
		to := fmt.Sprintf("%s.damaged-%d", d.Store(), n)
		err := os.Mkdir(to, 0o700)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err == nil {
			err = os.CopyFS(to, os.DirFS(d.Store()))
		}
		return to, err
	}
}

// Export writes an etcd snapshot of the store, which `etcdutl snapshot restore` takes. The file must
// not exist.
func (d Dir) Export(file string) (Summary, error) {
	s, err := store.Read(d.Store())
	if err != nil {
		return Summary{}, err
	}
	return summary(s), etcdfile.Write(file, s)
}

// Import makes the store from an etcd snapshot (`etcdctl snapshot save`), or from the database of an
// etcd that does not run. There must be no store yet; when it fails there is none.
func (d Dir) Import(file string) (sum Summary, err error) {
	if _, err := os.Lstat(d.Store()); err == nil {
		return sum, fmt.Errorf("import into %s: it has a store already; move that away, or name another directory", d)
	}
	s, err := etcdfile.Read(file)
	if err != nil {
		return sum, err
	}
	if err := os.MkdirAll(string(d), 0o700); err != nil {
		return sum, fmt.Errorf("import into %s: %w", d, err)
	}
	half := d.Store() + ".new" // half of it, if an import was interrupted
	if err := os.RemoveAll(half); err != nil {
		return sum, fmt.Errorf("import into %s: %w", d, err)
	}
	made, err := store.Open(store.Options{Path: half, Initial: &s})
	if err == nil {
		err = made.Close()
	}
	if err == nil {
		err = wholefile.Rename(half, d.Store())
	}
	if err != nil {
		return sum, errors.Join(fmt.Errorf("import into %s: %w", d, err), os.RemoveAll(half))
	}
	return summary(s), nil
}
