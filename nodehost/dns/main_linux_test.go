package dns

import (
	"context"
	"encoding/json"
	"net/netip"
	"testing"

	"github.com/tabernetes/tabernetes/nodehost/testnet"
	"github.com/tabernetes/tabernetes/nodehost/testnet/testcluster"
)

func TestMain(m *testing.M) { testcluster.Main(m, testnet.Roles{"dns": runDNS}) }

type dnsConfig struct {
	Access     testcluster.Access
	ResolvConf string
}

// runDNS is a node's name server in a process of its own.
func runDNS(ctx context.Context, config []byte, ready func()) error {
	var c dnsConfig
	if err := json.Unmarshal(config, &c); err != nil {
		return err
	}
	client, err := c.Access.Config()
	if err != nil {
		return err
	}
	s, err := New(Options{Client: client, ResolvConf: c.ResolvConf, Pods: []netip.Prefix{netip.MustParsePrefix("10.244.1.0/24")}})
	if err != nil {
		return err
	}
	go func() {
		<-s.Ready()
		if err := s.Check(ctx); err == nil {
			ready()
		}
	}()
	return s.Run(ctx)
}
