//go:build js && wasm

package net

import (
	"sync"
	_ "unsafe" // for go:linkname
)

// The one interface, lo, with the addresses that package wasm/goroot of Tabernetes sets. Go's
// in-memory network takes any address; these are the ones that this machine calls its own.
var (
	addressesMu sync.Mutex
	addresses   = []Addr{&IPNet{IP: IPv4(127, 0, 0, 1).To4(), Mask: CIDRMask(8, 32)}}
	loopback    = Interface{Index: 1, MTU: 65536, Name: "lo", Flags: FlagUp | FlagLoopback | FlagRunning}
)

//go:linkname setInterfaceAddrs
func setInterfaceAddrs(addrs []*IPNet) {
	addressesMu.Lock()
	defer addressesMu.Unlock()
	addresses = make([]Addr, len(addrs))
	for i, a := range addrs {
		addresses[i] = a
	}
}

func interfaceAddrs() []Addr {
	addressesMu.Lock()
	defer addressesMu.Unlock()
	return append([]Addr(nil), addresses...)
}

func init() {
	// Ports that the in-memory network chooses by itself, from Linux's range: counted from 1,
	// they would soon meet the ones that servers are configured to use.
	nextPortCounter.Store(32767)
}
