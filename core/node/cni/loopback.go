package cni

import (
	"context"
	"encoding/json"
	"fmt"
	"net"

	"github.com/containernetworking/cni/pkg/types"
	types100 "github.com/containernetworking/cni/pkg/types/100"
	"github.com/containernetworking/cni/pkg/version"
)

// loopbackAdd brings up what every pod in the tab has from the beginning, and says so.
func (n *Network) loopbackAdd(_ context.Context, c *call) (types.Result, error) {
	conf := &types.NetConf{}
	if err := json.Unmarshal(c.stdin, conf); err != nil {
		return nil, fmt.Errorf("failed to load netconf: %w", err)
	}
	if err := version.ParsePrevResult(conf); err != nil {
		return nil, fmt.Errorf("could not parse prevResult: %w", err)
	}
	if n.opts.Namespace(c.netns) == nil {
		return nil, types.NewError(types.ErrInvalidNetNS, fmt.Sprintf("failed to open netns %q: no such file or directory", c.netns), "")
	}
	if conf.PrevResult != nil {
		return conf.PrevResult, nil
	}
	return &types100.Result{
		CNIVersion: types100.ImplementedSpecVersion,
		Interfaces: []*types100.Interface{{Name: "lo", Mac: "00:00:00:00:00:00", Sandbox: c.netns}},
		IPs: []*types100.IPConfig{
			{Interface: types100.Int(0), Address: net.IPNet{IP: net.IPv4(127, 0, 0, 1), Mask: net.CIDRMask(8, 32)}},
			{Interface: types100.Int(0), Address: net.IPNet{IP: net.IPv6loopback, Mask: net.CIDRMask(128, 128)}},
		},
	}, nil
}

func (n *Network) loopbackCheck(_ context.Context, c *call) error {
	if n.opts.Namespace(c.netns) == nil {
		return types.NewError(types.ErrInvalidNetNS, fmt.Sprintf("failed to open netns %q: no such file or directory", c.netns), "")
	}
	return nil
}
