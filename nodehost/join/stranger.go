package join

import (
	"crypto/x509"
	"errors"
	"log/slog"
	"sync/atomic"
)

// stranger tells when what answers at the hub under the cluster's name is another cluster: a tab that
// was reloaded begins with another CA. The CA decides: every client of the node refuses it, nothing is
// sent to it and nothing that runs is touched. It is said once, and again after the right one was back.
type stranger struct {
	log  *slog.Logger
	here atomic.Bool
}

// failed is told of each failed request to the cluster.
func (s *stranger) failed(err error) {
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok && !s.here.Swap(true) {
		s.log.Warn("the cluster at the hub is another one: its certificate is not of the CA that this machine has joined; "+
			"containers go on, and it is tried again. To join the new one: nodehost leave --force, then its own line", "error", err)
	}
}

// answered is told when the cluster that the machine has joined has answered.
func (s *stranger) answered() {
	if s.here.Swap(false) {
		s.log.Info("the cluster at the hub is the right one again")
	}
}
