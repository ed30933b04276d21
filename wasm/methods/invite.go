package methods

import (
	"context"
	"fmt"

	"github.com/tabernetes/tabernetes/core/bootstrap"
	"github.com/tabernetes/tabernetes/core/cluster"
	"github.com/tabernetes/tabernetes/wasm/port"
)

// Inviter makes tokens; *cluster.Cluster is one.
type Inviter interface {
	Invite(ctx context.Context) (bootstrap.Invitation, error)
}

var _ Inviter = (*cluster.Cluster)(nil)

type inviteParams struct {
	Hub     string `json:"hub"`     // the hub's URL, as the machine that joins sees it
	Cluster string `json:"cluster"` // the cluster's name at the hub
	// CertHash is the pin of the hub's certificate; empty if none is needed.
	CertHash string `json:"certHash"`
}

type inviteResult struct {
	bootstrap.Invitation
	// Line is the command to copy to the machine.
	Line string `json:"line"`
}

// Invite serves `invite`: an expiring token with which a machine can join, and the line to copy.
func Invite(inviter func(context.Context) (Inviter, error)) port.Handler {
	return func(ctx context.Context, c *port.Call) (any, error) {
		var p inviteParams
		if err := c.Params(&p); err != nil {
			return nil, fmt.Errorf("invite: %w", err)
		}
		who, err := inviter(ctx)
		if err != nil {
			return nil, fmt.Errorf("invite: %w", err)
		}
		i, err := who.Invite(ctx)
		if err != nil {
			return nil, fmt.Errorf("invite: %w", err)
		}
		return inviteResult{i, i.Line(p.Hub, p.CertHash, p.Cluster)}, nil
	}
}
