package main

import (
	"context"

	"github.com/tabernetes/tabernetes/core/cluster"
	"github.com/tabernetes/tabernetes/core/node/keptdisk"
	"github.com/tabernetes/tabernetes/core/store/mvcc"
	"github.com/tabernetes/tabernetes/core/store/persist"
	"github.com/tabernetes/tabernetes/wasm/opfs"
)

// shelf is this browser's storage, with a folder for each cluster that is kept.
type shelf struct{}

func (shelf) Open(ctx context.Context, name string) (persist.Sink, error) {
	return opfs.OpenDir(ctx, name)
}

func (shelf) SaveKeys(to persist.Sink, folder string) error {
	return opfs.SaveFolder(to, keysName, folder)
}

func (shelf) SaveConfiguration(to persist.Sink, file string) error {
	return opfs.SaveFile(to, configurationName, file)
}

// exporting is the cluster of which files are made.
type exporting struct{ *cluster.Cluster }

func (e exporting) State() (mvcc.State, error) { return e.Store().State() }

func (e exporting) CopyDisks(to persist.Sink) (left, err error) {
	return keptdisk.Copy(to, keptdisk.Options{
		Root: cluster.NodesDir(dir), Skip: cluster.PassingFile, Low: cluster.LogFile, Attributes: e.FileAttributes,
	})
}
