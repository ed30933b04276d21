package goroot

import (
	"net"
	"runtime/debug"
	"sync/atomic"
	"time"
	_ "unsafe" // for go:linkname
)

// SetInterfaceAddrs makes addrs what net.InterfaceAddrs returns: the addresses that this
// machine calls its own. It may be called again at any time.
func SetInterfaceAddrs(addrs []*net.IPNet) { setInterfaceAddrs(addrs) }

//go:linkname setInterfaceAddrs net.setInterfaceAddrs
func setInterfaceAddrs(addrs []*net.IPNet)

// exiting lets Exit through the hook of OnExit.
var exiting atomic.Bool

// OnExit calls report, with the stack of the caller, instead of ending the program when
// something calls os.Exit; log.Fatal and klog.Fatal do. The calling goroutine then stays where
// it is for ever: its deferred functions do not run, as after a real exit.
func OnExit(report func(code int, stack string)) {
	setExitHook(func(code int) {
		if exiting.Load() {
			return
		}
		report(code, string(debug.Stack()))
		select {}
	})
}

// AllowExit lets every later os.Exit end the program.
func AllowExit() { exiting.Store(true) }

//go:linkname setExitHook os.setExitHook
func setExitHook(f func(code int))

// HostTurn ends Go's turn as soon as the caller gives way, although goroutines may be
// runnable. The caller must have arranged for JavaScript to call into Go soon. It returns
// false, and does nothing, inside a callback from JavaScript.
func HostTurn() bool { return hostTurn() }

//go:linkname hostTurn runtime.hostTurn
func hostTurn() bool

// SinceHost is for how long Go has run since JavaScript's event loop called it: other events wait as long.
func SinceHost() time.Duration { return time.Duration(hostTurnTook()) }

//go:linkname hostTurnTook runtime.hostTurnTook
func hostTurnTook() int64
