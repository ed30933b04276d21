package keptdisk

import (
	"fmt"

	"github.com/tabernetes/tabernetes/core/store/persist"
)

// Copy writes what lies in a directory now to a sink that has none of it, for Open to take up there. left says that there
// was not room for all; the rest is there. o.Tell is not told.
func Copy(to persist.Sink, o Options) (left, err error) {
	d := newDisk(to, o)
	err = d.rewrite()
	if d.file != nil {
		if closed := d.file.Close(); err == nil {
			err = closed
		}
	}
	if err != nil {
		return nil, fmt.Errorf("copy what is on the nodes' disks: %w", err)
	}
	return d.lost, nil
}
