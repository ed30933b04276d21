package opfs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/store/persist"
	"github.com/tabernetes/tabernetes/wasm/jsx"
)

// ErrInUse says that another tab has the cluster.
var ErrInUse = errors.New("another tab of this browser has it open")

// root is the folder of this project below the origin's; web/kept has the same name.
const root = "tabernetes"

// lockName is the file whose handle is held as long as the folder is in use: there is one at a time,
// and the browser takes it back with the tab. persist.OpenDir's file has the same name.
const lockName = "lock"

// Dir is a folder of the origin-private file system that this program has for itself.
type Dir struct {
	handle jsx.Value
	name   string
	lock   *file
}

var _ persist.Sink = (*Dir)(nil)

// OpenDir opens the folder of a cluster, which is made if it does not exist. It fails with ErrInUse if
// another tab has it.
func OpenDir(ctx context.Context, cluster string) (*Dir, error) {
	if cluster == "" || strings.ContainsAny(cluster, "/\\") || cluster == "." || cluster == ".." {
		return nil, fmt.Errorf("keep the cluster: %q cannot be the name of a folder", cluster)
	}
	d, err := openDir(ctx, cluster)
	if err != nil {
		return nil, fmt.Errorf("keep the cluster in this browser: %w", err)
	}
	return d, nil
}

func openDir(ctx context.Context, cluster string) (*Dir, error) {
	navigator, err := jsx.Global("navigator")
	if err != nil {
		return nil, err
	}
	storage, err := jsx.Field(navigator, "storage")
	if err != nil {
		return nil, errors.New("the browser has no storage for this address (it takes https, or localhost)")
	}
	handle, err := await(ctx, storage, "getDirectory")
	if err != nil {
		return nil, fmt.Errorf("the browser refuses its storage: %w", err)
	}
	for _, name := range []string{root, cluster} {
		if handle, err = await(ctx, handle, "getDirectoryHandle", name, map[string]any{"create": true}); err != nil {
			return nil, err
		}
	}
	d := &Dir{handle: handle, name: cluster}
	jsx.SetRole(handle, map[string]any{"kind": "folder", "cluster": cluster})
	if d.lock, err = d.openLock(ctx); err != nil {
		return nil, err
	}
	return d, nil
}

// A Worker that is ending gives its handle back some moments later, and a page that asks whether a
// cluster is open holds the file for as long as it takes to ask. Nobody is told when it is free.
const (
	lockTries   = 20
	lockBetween = 100 * time.Millisecond
)

func (d *Dir) openLock(ctx context.Context) (*file, error) {
	for left := lockTries; ; left-- {
		f, err := d.open(ctx, lockName)
		if jsx.ExceptionName(err) != "NoModificationAllowedError" {
			return f, err
		}
		if left == 1 {
			return nil, ErrInUse
		}
		select {
		case <-time.After(lockBetween):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// There says whether the folder is still where it was made: whoever deletes this page's data in the
// browser takes it away under the open files, whose writes go on and lead nowhere.
func (d *Dir) There(ctx context.Context) (bool, error) {
	_, err := await(ctx, d.handle, "getFileHandle", lockName)
	if jsx.ExceptionName(err) == "NotFoundError" {
		return false, nil
	}
	return err == nil, err
}

// Files implements persist.Sink.
func (d *Dir) Files() ([]string, error) {
	iterator, err := d.handle.Call("keys")
	if err != nil {
		return nil, err
	}
	var names []string
	for {
		next, err := await(context.Background(), iterator, "next")
		if err != nil {
			return nil, err
		}
		if done, err := next.Get("done"); err != nil {
			return nil, err
		} else if done, err := done.Truthy(); done || err != nil {
			return names, err
		}
		value, err := next.Get("value")
		if err != nil {
			return nil, err
		}
		name, err := value.String()
		if err != nil {
			return nil, err
		}
		if name != lockName {
			names = append(names, name)
		}
	}
}

// Open implements persist.Sink.
func (d *Dir) Open(name string) (persist.File, error) {
	f, err := d.open(context.Background(), name)
	if err != nil {
		return nil, fmt.Errorf("open %s in this browser's storage: %w", name, err)
	}
	return f, nil
}

func (d *Dir) open(ctx context.Context, name string) (*file, error) {
	entry, err := await(ctx, d.handle, "getFileHandle", name, map[string]any{"create": true})
	if err != nil {
		return nil, err
	}
	handle, err := await(ctx, entry, "createSyncAccessHandle")
	if err != nil {
		return nil, err
	}
	jsx.SetRole(handle, map[string]any{"kind": "file", "cluster": d.name, "name": name})
	return &file{handle: handle}, nil
}

// Remove implements persist.Sink.
func (d *Dir) Remove(name string) error {
	_, err := await(context.Background(), d.handle, "removeEntry", name)
	return err
}

// Sync implements persist.Sink. The browser writes its list of files by itself, and offers no way to
// wait for that.
func (d *Dir) Sync() error { return nil }

// Close implements persist.Sink.
func (d *Dir) Close() error { return d.lock.Close() }

// await calls a method and waits for its promise.
func await(ctx context.Context, v jsx.Value, method string, args ...any) (jsx.Value, error) {
	converted := make([]any, len(args))
	for i, arg := range args {
		js, _, err := jsx.ToJS(arg)
		if err != nil {
			return jsx.Value{}, fmt.Errorf("%s: %w", method, err)
		}
		converted[i] = js
	}
	promise, err := v.Call(method, converted...)
	if err != nil {
		return jsx.Value{}, fmt.Errorf("%s: %w", method, err)
	}
	result, err := jsx.Await(ctx, promise)
	if err != nil {
		return result, fmt.Errorf("%s: %w", method, err)
	}
	return result, nil
}
