package cni

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/containernetworking/cni/libcni"

	"github.com/tabernetes/tabernetes/nodehost/cni/plugin"
)

// Collect makes the calls to DEL that the runtime still owes for sandboxes that are gone: those
// that an address is kept for, or the answer to an ADD. It does nothing without Options.Valid.
// A sandbox that is being made meanwhile is safe: what is there is read before who is valid.
// (CNI's own GC names who is valid, and has to be alone for that.)
func (n *Net) Collect(ctx context.Context) error {
	o := &n.options
	if o.Valid == nil || o.Existing != "" {
		return nil
	}
	kept, err := n.attachments()
	if err != nil {
		return err
	}
	ids, err := o.Valid(ctx)
	if err != nil {
		return fmt.Errorf("list the sandboxes: %w", err)
	}
	for _, id := range ids {
		delete(kept, id)
	}
	if len(kept) == 0 {
		return nil
	}
	conf, err := o.conflist(ctx, o.RuntimeVersion)
	if err != nil {
		return err
	}
	list, err := libcni.NetworkConfFromBytes(conf)
	if err != nil {
		return fmt.Errorf("read our own configuration: %w", err)
	}
	var errs []error
	for id, rt := range kept {
		if err := n.libcni().DelNetworkList(ctx, list, rt); err != nil {
			errs = append(errs, fmt.Errorf("release what sandbox %s had: %w", id, err))
		}
	}
	o.Log.Info("what sandboxes had that are gone is released", "sandboxes", len(kept), "failed", len(errs))
	return errors.Join(errs...)
}

// attachments are what something is kept for, by sandbox.
func (n *Net) attachments() (map[string]*libcni.RuntimeConf, error) {
	held, err := plugin.Held(n.addressDir())
	if err != nil {
		return nil, err
	}
	kept := map[string]*libcni.RuntimeConf{}
	for _, a := range held {
		kept[a.ContainerID] = &libcni.RuntimeConf{ContainerID: a.ContainerID, IfName: a.IfName}
	}
	cached, err := n.libcni().GetCachedAttachments("")
	if err != nil {
		return nil, fmt.Errorf("read what the runtime keeps in %s: %w", n.options.CacheDir, err)
	}
	for _, a := range cached {
		if a.Network == Network {
			kept[a.ContainerID] = &libcni.RuntimeConf{
				ContainerID: a.ContainerID, IfName: a.IfName, NetNS: a.NetNS, Args: a.CniArgs, CapabilityArgs: a.CapabilityArgs,
			}
		}
	}
	return kept, nil
}

func (n *Net) libcni() *libcni.CNIConfig {
	return libcni.NewCNIConfigWithCacheDir(n.BinDirs(), n.options.CacheDir, nil)
}

func (n *Net) addressDir() string { return filepath.Join(n.options.addresses(), Network) }
