package join

import (
	"log/slog"
	"sync/atomic"
)

// absent tells when the hub is there and the cluster is not: a tab that was closed or killed. It is
// said once, and again after somebody has answered, whoever that was; stranger knows who.
type absent struct {
	log  *slog.Logger
	away atomic.Bool
}

// tell is told of each connection to the cluster whether anybody answered.
func (a *absent) tell(answered bool) {
	switch {
	case answered:
		if a.away.Swap(false) {
			a.log.Info("somebody answers at the hub again")
		}
	case !a.away.Swap(true):
		a.log.Warn("the hub is there, and the cluster is not: its tab is closed, or its control plane has stopped; " +
			"containers go on, and it is tried again")
	}
}
