package cri

import (
	"context"
	"fmt"
	"net/netip"
	"sync"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// PodAddresses lists the addresses of the pods of a runtime. What a sandbox has does not change, so that
// each is looked at once.
type PodAddresses struct {
	Endpoint string

	mu   sync.Mutex
	have map[string][]netip.Addr // by sandbox
}

// List asks the runtime. Pods on the machine's own network have none of their own.
func (p *PodAddresses) List(ctx context.Context) ([]netip.Addr, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	service, _, err := version(ctx, p.Endpoint)
	if err != nil {
		return nil, fmt.Errorf("list the pods' addresses: %w", err)
	}
	defer service.Close(ctx)
	all, err := service.ListPodSandbox(ctx, &runtimeapi.PodSandboxFilter{
		State: &runtimeapi.PodSandboxStateValue{State: runtimeapi.PodSandboxState_SANDBOX_READY},
	})
	if err != nil {
		return nil, fmt.Errorf("list the pods' addresses: %w", err)
	}
	have, found := map[string][]netip.Addr{}, []netip.Addr(nil)
	for _, s := range all {
		addrs := p.have[s.Id]
		if addrs == nil {
			status, err := service.PodSandboxStatus(ctx, s.Id, false)
			if err != nil {
				continue // it has gone meanwhile
			}
			addrs = addresses(status.GetStatus().GetNetwork())
		}
		have[s.Id] = addrs
		found = append(found, addrs...)
	}
	p.have = have
	return found, nil
}

// addresses are a sandbox's; none of what is not an address.
func addresses(n *runtimeapi.PodSandboxNetworkStatus) (found []netip.Addr) {
	texts := []string{n.GetIp()}
	for _, more := range n.GetAdditionalIps() {
		texts = append(texts, more.GetIp())
	}
	for _, text := range texts {
		if a, err := netip.ParseAddr(text); err == nil {
			found = append(found, a.Unmap())
		}
	}
	return found
}
