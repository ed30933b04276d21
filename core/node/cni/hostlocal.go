package cni

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"path"
	"slices"

	"github.com/containernetworking/cni/pkg/types"
	types100 "github.com/containernetworking/cni/pkg/types/100"
	"github.com/containernetworking/plugins/plugins/ipam/host-local/backend/allocator"
)

// localStore is what host-local keeps of one network. Its allocator is upstream's; what stands around
// it there is a program, package main.
func (n *Network) localStore(c *call) (*allocator.IPAMConfig, *store, error) {
	conf, _, err := allocator.LoadIPAMConfig(c.stdin, c.args)
	if err != nil {
		return nil, nil, err
	}
	dir := conf.DataDir
	if dir == "" {
		dir = DataDir + "/networks"
	}
	s, err := n.leases.open(path.Join("/", dir, conf.Name))
	if err != nil {
		return nil, nil, err
	}
	s.may = n.isPods
	return conf, s, nil
}

// isPods refuses addresses that are not of the node's pods: in one process every address is everybody's, and
// a pod may not become the API server or another node's.
func (n *Network) isPods(ip net.IP) error {
	addr, ok := netip.AddrFromSlice(ip)
	cidrs := n.PodCIDRs()
	if ok && slices.ContainsFunc(cidrs, func(p netip.Prefix) bool { return p.Contains(addr.Unmap()) }) {
		return nil
	}
	return fmt.Errorf("%s is not of this node's pod CIDR %s, and the tab has no way to other addresses: set \"subnet\" to that, or to a part of it", ip, cidrs)
}

func (n *Network) localAdd(_ context.Context, c *call) (types.Result, error) {
	conf, s, err := n.localStore(c)
	if err != nil {
		return nil, err
	}
	result := &types100.Result{CNIVersion: types100.ImplementedSpecVersion, Routes: conf.Routes}
	// Addresses that were asked for by name.
	asked := map[string]net.IP{}
	for _, ip := range conf.IPArgs {
		asked[ip.String()] = ip
	}
	fail := func(err error) (types.Result, error) {
		_ = s.ReleaseByID(c.container, c.ifname)
		return nil, err
	}
	for i, set := range conf.Ranges {
		var want net.IP
		for key, ip := range asked {
			if set.Contains(ip) {
				want = ip
				delete(asked, key)
				break
			}
		}
		config, err := allocator.NewIPAllocator(&set, s, i).Get(c.container, c.ifname, want)
		if err != nil && len(result.IPs) == 0 {
			return nil, fmt.Errorf("failed to allocate for range %d: %w", i, err)
		}
		if err != nil {
			return fail(fmt.Errorf("failed to allocate for range %d: %w", i, err))
		}
		result.IPs = append(result.IPs, config)
	}
	if len(asked) > 0 {
		text := "failed to allocate all requested IPs:"
		for ip := range asked {
			text += " " + ip
		}
		return fail(errors.New(text))
	}
	return result, nil
}

func (n *Network) localDel(_ context.Context, c *call) error {
	_, s, err := n.localStore(c)
	if err != nil {
		return err
	}
	_ = s.Lock()
	defer func() { _ = s.Unlock() }()
	return s.ReleaseByID(c.container, c.ifname)
}

func (n *Network) localCheck(_ context.Context, c *call) error {
	_, s, err := n.localStore(c)
	if err != nil {
		return err
	}
	_ = s.Lock()
	defer func() { _ = s.Unlock() }()
	if len(s.GetByID(c.container, c.ifname)) == 0 {
		return fmt.Errorf("host-local: Failed to find address added by container %v", c.container)
	}
	return nil
}

// localGC gives back what attachments hold that are not valid any more; upstream's has it not yet.
func (n *Network) localGC(_ context.Context, c *call) error {
	_, s, err := n.localStore(c)
	if err != nil {
		return err
	}
	var conf types.NetConf
	if err := json.Unmarshal(c.stdin, &conf); err != nil {
		return err
	}
	_ = s.Lock()
	defer func() { _ = s.Unlock() }()
	for _, holder := range s.holders() {
		if !slices.Contains(conf.ValidAttachments, holder) {
			if err := s.ReleaseByID(holder.ContainerID, holder.IfName); err != nil {
				return err
			}
		}
	}
	return nil
}
