package cni

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/containernetworking/cni/pkg/types"
	"github.com/containernetworking/cni/pkg/version"
)

// portmapConf is what of portmap's configuration means something where there are no iptables.
type portmapConf struct {
	types.NetConf
	RuntimeConfig struct {
		PortMappings []PortMapping `json:"portMappings"`
	} `json:"runtimeConfig"`
}

func loadPortmap(c *call) (*portmapConf, error) {
	conf := &portmapConf{}
	if err := json.Unmarshal(c.stdin, conf); err != nil {
		return nil, fmt.Errorf("failed to parse config: %w", err)
	}
	if err := version.ParsePrevResult(&conf.NetConf); err != nil {
		return nil, fmt.Errorf("could not parse prevResult: %w", err)
	}
	for _, m := range conf.RuntimeConfig.PortMappings {
		if m.ContainerPort <= 0 {
			return nil, fmt.Errorf("failed to parse config: invalid container port number: %d", m.ContainerPort)
		}
		if m.HostPort < 0 || m.HostPort > 65535 || m.ContainerPort > 65535 {
			return nil, fmt.Errorf("failed to parse config: invalid host port number: %d", m.HostPort)
		}
	}
	return conf, nil
}

func (n *Network) portmapAdd(_ context.Context, c *call) (types.Result, error) {
	conf, err := loadPortmap(c)
	if err != nil {
		return nil, err
	}
	if conf.PrevResult == nil {
		return nil, errors.New("must be called as chained plugin")
	}
	if len(conf.RuntimeConfig.PortMappings) == 0 {
		return conf.PrevResult, nil
	}
	netns := n.opts.Namespace(c.netns)
	if netns == nil {
		return nil, types.NewError(types.ErrInvalidNetNS, fmt.Sprintf("failed to open netns %q: no such file or directory", c.netns), "")
	}
	for _, m := range conf.RuntimeConfig.PortMappings {
		if m.HostPort == 0 {
			continue
		}
		if err := netns.MapPort(m); err != nil {
			netns.UnmapPorts()
			return nil, fmt.Errorf("host port %d: %w", m.HostPort, err)
		}
	}
	return conf.PrevResult, nil
}

func (n *Network) portmapDel(_ context.Context, c *call) error {
	if _, err := loadPortmap(c); err != nil {
		return err
	}
	if netns := n.opts.Namespace(c.netns); netns != nil {
		netns.UnmapPorts()
	}
	return nil
}

func (n *Network) portmapCheck(_ context.Context, c *call) error {
	conf, err := loadPortmap(c)
	if err != nil {
		return err
	}
	if conf.PrevResult == nil {
		return errors.New("must be called as chained plugin")
	}
	return nil
}
