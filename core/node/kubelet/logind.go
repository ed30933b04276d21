//go:build linux || js

package kubelet

import (
	"time"
	_ "unsafe" // for go:linkname

	"k8s.io/klog/v2"
	_ "k8s.io/kubernetes/pkg/kubelet/nodeshutdown" // owns the variable below
	"k8s.io/kubernetes/pkg/kubelet/nodeshutdown/systemd"

	"github.com/tabernetes/tabernetes/core/node/logind"
)

// Upstream's manager of a node's shutdown asks the machine's systemd by D-Bus, which it reaches by a variable, for its
// own tests. An in-tab kubelet, which is known by its goroutines as in metrics.go, asks the logind of its node. On js
// the manager is upstream's own for Linux (wasm/overlay).

//go:linkname systemDbus k8s.io/kubernetes/pkg/kubelet/nodeshutdown.systemDbus
var systemDbus func() (inhibiter, error)

// inhibiter is upstream's interface of the same methods, nodeshutdown.dbusInhibiter.
type inhibiter interface {
	CurrentInhibitDelay() (time.Duration, error)
	InhibitShutdown() (systemd.InhibitLock, error)
	ReleaseInhibitLock(lock systemd.InhibitLock) error
	ReloadLogindConf() error
	MonitorShutdown(klog.Logger) (<-chan bool, error)
	OverrideInhibitDelay(inhibitDelayMax time.Duration) error
}

func init() {
	machine := systemDbus
	systemDbus = func() (inhibiter, error) {
		if k := mine(); k != nil {
			return nodeLogind{k.logind}, nil
		}
		return machine()
	}
}

// nodeLogind is a node's logind by the names that upstream calls it by.
type nodeLogind struct{ m *logind.Manager }

var _ inhibiter = nodeLogind{}

func (l nodeLogind) CurrentInhibitDelay() (time.Duration, error) { return l.m.InhibitDelayMax(), nil }

func (l nodeLogind) InhibitShutdown() (systemd.InhibitLock, error) {
	lock, err := l.m.Inhibit()
	return systemd.InhibitLock(lock), err
}

func (l nodeLogind) ReleaseInhibitLock(lock systemd.InhibitLock) error {
	l.m.Release(uint32(lock))
	return nil
}

func (l nodeLogind) OverrideInhibitDelay(d time.Duration) error {
	l.m.SetInhibitDelayMax(d)
	return nil
}

// ReloadLogindConf has nothing to reload: there is no file that somebody else could have changed.
func (nodeLogind) ReloadLogindConf() error { return nil }

func (l nodeLogind) MonitorShutdown(klog.Logger) (<-chan bool, error) {
	return l.m.PrepareForShutdown(), nil
}
