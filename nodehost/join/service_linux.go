package join

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/tabernetes/tabernetes/core/group"
	"github.com/tabernetes/tabernetes/nodehost/cgroup"
	"github.com/tabernetes/tabernetes/nodehost/systemd"
)

// errHandedOver ends the tunnel that was made for joining.
var errHandedOver = errors.New("systemd goes on")

// service joins, so that whoever typed the line sees what is wrong with it, and leaves the rest to
// systemd. The place is released for what systemd starts.
func (n *node) service(ctx context.Context, release *func()) error {
	if !cgroup.Detect().Systemd {
		return errors.New("--service: systemd does not run this machine; leave the flag out and have the machine's own init run `nodehost join`")
	}
	joining, g := group.New(ctx)
	n.group = g
	err := n.join(joining)
	if err == nil {
		err = errHandedOver
	}
	g.End(err)
	if err := g.WaitFor(endPatience); !errors.Is(err, errHandedOver) {
		return err
	}
	n.state.Service = true // before there is a unit
	if err := n.Place.Save(n.state); err != nil {
		return err
	}
	(*release)()
	*release = func() {}
	if err := systemd.Start(ctx, filepath.Join(n.Place.Bin(), programName), n.Place); err != nil {
		return fmt.Errorf("--service: %w", err)
	}
	fmt.Fprintf(n.Out, "%s runs node %s now; its log: journalctl -u %[1]s\n", systemd.Name, n.state.Node)
	return nil
}
