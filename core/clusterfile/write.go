package clusterfile

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"time"

	"github.com/tabernetes/tabernetes/core/store/mvcc"
	"github.com/tabernetes/tabernetes/core/store/persist"
)

// The archive's directories: nodehost/datadir has the same.
const (
	storeDir          = "store/"
	keysDir           = "cluster/pki/"
	configurationName = "cluster/configuration.json"
)

// ofSecret is the end of the key of a Secret: upstream's resource, a namespace and a name. It does not look at what is
// before it, which is --etcd-prefix's: what was written under another one is as secret.
var ofSecret = regexp.MustCompile(`/secrets/[^/]+/[^/]+$`)

// Options say what goes into a file.
type Options struct {
	// Secrets has Secrets in it. Without them it holds nothing secret.
	Secrets bool
	// Keys are the cluster's, which make of the file the same cluster; nil for none, which makes of
	// it another one with the same objects. Only with Secrets.
	Keys fs.FS
	// Configuration is the control plane's, as core/cluster keeps it; nil for none. Whose is without
	// Secrets has none either: who gives it has seen to that.
	Configuration []byte
}

// Write writes a cluster's state to w.
func Write(w io.Writer, state mvcc.State, o Options) error {
	if o.Keys != nil && !o.Secrets {
		return errors.New("export the cluster: keys without Secrets are not asked for")
	}
	files, err := storeOf(state, o.Secrets)
	if err != nil {
		return fmt.Errorf("export the cluster: %w", err)
	}
	all := map[string][]byte{}
	for name, f := range files.files {
		all[storeDir+name] = f.data
	}
	if o.Keys != nil {
		err := fs.WalkDir(o.Keys, ".", func(name string, item fs.DirEntry, err error) error {
			if err != nil || !item.Type().IsRegular() {
				return err
			}
			all[keysDir+name], err = fs.ReadFile(o.Keys, name)
			return err
		})
		if err != nil {
			return fmt.Errorf("export the cluster's keys: %w", err)
		}
	}
	if o.Configuration != nil {
		all[configurationName] = o.Configuration
	}
	list, err := json.Marshal(manifestOf(all))
	if err != nil {
		return fmt.Errorf("export the cluster: %w", err)
	}
	out := tar.NewWriter(w)
	err = add(out, manifestName, list)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if err == nil {
			err = add(out, name, all[name])
		}
	}
	if err = errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("export the cluster: %w", err)
	}
	return nil
}

func add(out *tar.Writer, name string, data []byte) error {
	err := out.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(data)), ModTime: time.Now(), Format: tar.FormatUSTAR})
	if err == nil {
		_, err = out.Write(data)
	}
	return err
}

// storeOf is a store's files with the state.
func storeOf(state mvcc.State, secrets bool) (*memory, error) {
	if !secrets {
		state.KVs = slices.DeleteFunc(slices.Clone(state.KVs), func(kv mvcc.KV) bool {
			return ofSecret.MatchString(kv.Key)
		})
	}
	files := newMemory()
	e, err := mvcc.Open(mvcc.Options{
		Journal: persist.Open(files, persist.Options{Sync: persist.SyncNever}), Initial: &state, ProgressInterval: -1,
	})
	if err != nil {
		return nil, err
	}
	return files, e.Close()
}

// Copy puts the state, without keys, into an empty sink, and has more put there what goes along: another
// cluster with the same objects. What fails leaves nothing there.
func Copy(to persist.Sink, state mvcc.State, more func(persist.Sink) error) error {
	files, err := storeOf(state, true)
	if err == nil {
		err = Make(to, func(to persist.Sink) error {
			if err := files.into(to); err != nil {
				return err
			}
			return more(to)
		})
	}
	if err != nil {
		return fmt.Errorf("copy the cluster: %w", err)
	}
	return nil
}

// into writes the files to a sink that Make has.
func (m *memory) into(to persist.Sink) error {
	names, _ := m.Files()
	for _, name := range names {
		f, err := to.Open(name)
		if err != nil {
			return err
		}
		_, err = f.WriteAt(m.files[name].data, 0)
		if err == nil {
			err = f.Sync()
		}
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return to.Sync()
}
