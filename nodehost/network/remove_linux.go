package network

import (
	"context"
	"errors"

	"github.com/tabernetes/tabernetes/nodehost/cni"
	"github.com/tabernetes/tabernetes/nodehost/localaddr"
	"github.com/tabernetes/tabernetes/nodehost/overlay"
	"github.com/tabernetes/tabernetes/nodehost/proxy"
)

// Inventory names all of a node's network that is on this machine, but for iptables' own chains, which
// are anybody's. Of the options only Dir and Existing are looked at.
func Inventory(ctx context.Context, o Options) ([]string, error) {
	interfaces, err1 := cni.Inventory(o.cni(0))
	ways, err2 := overlay.Inventory(ctx, o.overlay())
	local, err3 := localaddr.Inventory()
	left := append(append(append(interfaces, ways...), proxy.Inventory(ctx)...), local...)
	return left, errors.Join(err1, err2, err3)
}

// Remove removes what Inventory names, as far as it can; the pods have to be gone. Whatever
// failed is in the error, and can be tried again. Of the options Before is looked at, too.
func Remove(ctx context.Context, o Options) error {
	err := errors.Join(
		cni.Remove(o.cni(0)),
		overlay.Remove(ctx, o.overlay()),
		proxy.Remove(ctx),
		localaddr.Remove(),
	)
	if err == nil && o.Before != nil {
		err = removeBaseChains(ctx, o.Before)
	}
	return err
}
