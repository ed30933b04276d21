package methods

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"k8s.io/client-go/rest"

	"github.com/tabernetes/tabernetes/core/clusterfile"
	"github.com/tabernetes/tabernetes/core/configuration"
	"github.com/tabernetes/tabernetes/core/manifest"
	"github.com/tabernetes/tabernetes/core/store/mvcc"
	"github.com/tabernetes/tabernetes/core/store/persist"
	"github.com/tabernetes/tabernetes/wasm/port"
)

// Exporting is a cluster of which files are made.
type Exporting interface {
	// State is what its store holds.
	State() (mvcc.State, error)
	PageConfig() *rest.Config
	// Configuration is what is in force; it says whether what its store holds is encrypted, too.
	Configuration() configuration.Files
	// CopyDisks puts what lies on its in-tab nodes' disks where a copy is made; left is what there was no room for.
	CopyDisks(to persist.Sink) (left, err error)
}

// readable fails for a store that is encrypted, where the keys that read it do not go along.
func readable(of Exporting) error {
	if !of.Configuration().Has(configuration.Encryption) {
		return nil
	}
	return &port.Error{
		Err:  fmt.Errorf("its configuration encrypts what is stored (%s), and nobody could read it elsewhere", configuration.Encryption),
		Hint: "Take Secrets and keys along. Or have the provider identity write, write all Secrets anew (kubectl get secrets -A -o json | kubectl replace -f -), and then take the file out of the Configuration. Or download what you made as YAML.",
	}
}

// Shelf is where the page keeps clusters.
type Shelf interface {
	// Open makes a place for a cluster, or opens the one of that name.
	Open(ctx context.Context, name string) (persist.Sink, error)
	// SaveKeys keeps the files of a folder as the keys of the cluster in a place.
	SaveKeys(to persist.Sink, folder string) error
	// SaveConfiguration keeps a file as the configuration of the cluster in a place.
	SaveConfiguration(to persist.Sink, file string) error
}

type contentParams struct {
	Secrets bool `json:"secrets"`
}

// ExportCluster serves `exportCluster`: a file of the cluster, with its Secrets and the keys in the folder
// keys, or without both.
func ExportCluster(await func(context.Context) (Exporting, error), keys string) port.Handler {
	return func(ctx context.Context, c *port.Call) (any, error) {
		var p contentParams
		if err := c.Params(&p); err != nil {
			return nil, fmt.Errorf("export the cluster: %w", err)
		}
		of, err := await(ctx)
		if err != nil {
			return nil, err
		}
		if !p.Secrets {
			if err := readable(of); err != nil {
				return nil, err
			}
		}
		state, err := of.State()
		if err != nil {
			return nil, fmt.Errorf("export the cluster: %w", err)
		}
		o := clusterfile.Options{Secrets: p.Secrets}
		if o.Configuration, err = of.Configuration().Portable(p.Secrets); err != nil {
			return nil, fmt.Errorf("export the cluster's configuration: %w", err)
		}
		if p.Secrets {
			o.Keys = os.DirFS(keys)
		}
		return struct{}{}, clusterfile.Write(c.Output("body"), state, o)
	}
}

type nameParams struct {
	Name string `json:"name"`
}

type copyResult struct {
	// Left is what of the nodes' disks is not in the copy; empty if all is.
	Left string `json:"left"`
}

// CopyCluster serves `copyCluster`: another cluster with the same objects, configuration and files of the in-tab nodes and
// no keys, beside this one.
func CopyCluster(await func(context.Context) (Exporting, error), shelf Shelf) port.Handler {
	return func(ctx context.Context, c *port.Call) (any, error) {
		var p nameParams
		if err := c.Params(&p); err != nil {
			return nil, fmt.Errorf("copy the cluster: %w", err)
		}
		of, err := await(ctx)
		if err != nil {
			return nil, err
		}
		state, err := of.State()
		if err != nil {
			return nil, fmt.Errorf("copy the cluster: %w", err)
		}
		sink, err := shelf.Open(ctx, p.Name)
		if err != nil {
			return nil, err
		}
		defer sink.Close()
		var result copyResult
		return &result, clusterfile.Copy(sink, state, func(to persist.Sink) error {
			left, err := of.CopyDisks(to)
			if left != nil {
				result.Left = left.Error()
			}
			return errors.Join(err, along(of, shelf)(to))
		})
	}
}

// along puts the configuration in force where a copy is made.
func along(of Exporting, shelf Shelf) func(persist.Sink) error {
	return func(to persist.Sink) error {
		text, err := of.Configuration().Portable(true)
		if err != nil {
			return err
		}
		return saveConfiguration(to, shelf, text)
	}
}

func saveConfiguration(to persist.Sink, shelf Shelf, text []byte) error {
	if text == nil {
		return nil
	}
	dir, err := os.MkdirTemp("", "configuration-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "configuration.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return err
	}
	if err := shelf.SaveConfiguration(to, file); err != nil {
		return fmt.Errorf("its configuration: %w", err)
	}
	return nil
}

type importResult struct {
	Revision int64 `json:"revision"`
	Objects  int   `json:"objects"`
}

// ImportCluster serves `importCluster`: the page sends a file, of which a cluster is made beside this one.
// The file is checked first: of one that is refused nothing is made.
func ImportCluster(shelf Shelf) port.Handler {
	return func(ctx context.Context, c *port.Call) (any, error) {
		var p nameParams
		if err := c.Params(&p); err != nil {
			return nil, fmt.Errorf("import a cluster: %w", err)
		}
		f, err := clusterfile.Read(c.Input())
		if err != nil {
			return nil, err
		}
		if f.Configuration != nil {
			if f.Configuration, err = configuration.Arrived(f.Configuration); err != nil {
				return nil, fmt.Errorf("import the cluster: its configuration: %w", err)
			}
		}
		sink, err := shelf.Open(ctx, p.Name)
		if err != nil {
			return nil, err
		}
		defer sink.Close()
		err = f.Into(sink, func(to persist.Sink) error {
			if len(f.PKI) > 0 {
				if err := saveKeys(to, shelf, f.PKI); err != nil {
					return fmt.Errorf("its keys: %w", err)
				}
			}
			return saveConfiguration(to, shelf, f.Configuration)
		})
		if err != nil {
			return nil, err
		}
		return importResult{f.Revision, f.Objects}, nil
	}
}

func saveKeys(to persist.Sink, shelf Shelf, keys map[string][]byte) error {
	dir, err := os.MkdirTemp("", "import-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for name, data := range keys { // clusterfile has checked the names
		if !fs.ValidPath(name) {
			return fmt.Errorf("%q: %w", name, fs.ErrInvalid)
		}
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(file, data, 0o600); err != nil {
			return err
		}
	}
	return shelf.SaveKeys(to, dir)
}

type manifestResult struct {
	Objects int `json:"objects"`
}

// Manifest serves `manifest`: what people made in the cluster, to be applied to another.
func Manifest(await func(context.Context) (Exporting, error)) port.Handler {
	return func(ctx context.Context, c *port.Call) (any, error) {
		var p contentParams
		if err := c.Params(&p); err != nil {
			return nil, fmt.Errorf("manifest: %w", err)
		}
		of, err := await(ctx)
		if err != nil {
			return nil, err
		}
		n, err := manifest.Write(ctx, c.Output("body"), of.PageConfig(), manifest.Options{Secrets: p.Secrets})
		return manifestResult{n}, err
	}
}
