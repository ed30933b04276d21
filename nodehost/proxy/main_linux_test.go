package proxy

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"testing"

	"github.com/tabernetes/tabernetes/nodehost/localaddr"
	"github.com/tabernetes/tabernetes/nodehost/testnet"
	"github.com/tabernetes/tabernetes/nodehost/testnet/testcluster"
)

func TestMain(m *testing.M) {
	testcluster.Main(m, testnet.Roles{"proxy": runProxy, "remove": remove})
}

type agentConfig struct {
	testcluster.Agent
	Mode Mode
}

// runProxy is a node's kube-proxy and forwarder in a process of their own.
func runProxy(ctx context.Context, in []byte, ready func()) error {
	var c agentConfig
	if err := json.Unmarshal(in, &c); err != nil {
		return err
	}
	client, err := c.Begin()
	if err != nil {
		return err
	}
	p, err := New(Options{Client: client, NodeName: c.Node, NodeIP: c.IP, PodCIDRs: []netip.Prefix{c.Pods}, Mode: c.Mode})
	if err != nil {
		return err
	}
	d, err := NewAPIForwarder(APIForwarderOptions{Client: client, Dial: c.Access.Dial, Pods: []netip.Prefix{c.Pods}})
	if err != nil {
		return err
	}
	ended := make(chan error, 2)
	go func() { ended <- p.Run(ctx) }()
	go func() { ended <- d.Run(ctx) }()
	for _, r := range []<-chan struct{}{p.Ready(), d.Ready()} {
		select {
		case <-r:
		case err := <-ended:
			return err
		}
	}
	ready()
	if err := <-ended; err != nil {
		return err
	}
	return <-ended
}

// remove is what happens when the node leaves.
func remove(ctx context.Context, _ []byte, ready func()) error {
	for _, l := range Inventory(ctx) {
		fmt.Println("before:", l)
	}
	if err := Remove(ctx); err != nil {
		return err
	}
	if err := localaddr.Remove(); err != nil {
		return err
	}
	for _, l := range Inventory(ctx) {
		fmt.Println("left:", l)
	}
	ready()
	return nil
}
