package access

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"

	"k8s.io/client-go/rest"

	"github.com/tabernetes/tabernetes/core/tunnel"
)

// Door is the cluster's side of a tunnel: what comes through it, and who is asked.
type Door struct {
	// Serve hands a client's connection to the apiserver.
	Serve func(ctx context.Context, conn net.Conn)
	// Owner is a client configuration with all rights; it may wait until there is one.
	Owner func(ctx context.Context) (*rest.Config, error)
	// Agree asks the owner; an error says no, and its text goes to the asker. Nil refuses all.
	Agree func(ctx context.Context, q Question) error
}

// Options are a tunnel session's for this door.
func (d *Door) Options() tunnel.Options {
	return tunnel.Options{Authorise: d.authorise, Handle: d.handle}
}

// authorise lets in what a cluster offers, and nothing else.
func (d *Door) authorise(h tunnel.Header) error {
	switch {
	case h.Kind == tunnel.KindAPI:
		return nil
	case h.Kind == tunnel.KindCall && h.Target == tunnel.CallAccess:
		return nil
	case h.Kind == tunnel.KindCall:
		return fmt.Errorf("a cluster has no method %q", h.Target)
	}
	return fmt.Errorf("a cluster takes no streams of kind %d", h.Kind)
}

func (d *Door) handle(ctx context.Context, h tunnel.Header, stream net.Conn) {
	if h.Kind == tunnel.KindAPI {
		d.Serve(ctx, stream)
		return
	}
	_ = tunnel.ServeCall(ctx, stream, d.grant)
}

func (d *Door) grant(ctx context.Context, raw json.RawMessage) (any, error) {
	var q Question
	if err := json.Unmarshal(raw, &q); err != nil {
		return nil, errors.New("the request for access cannot be read")
	}
	if err := q.Check(); err != nil {
		return nil, err
	}
	if d.Agree == nil {
		return nil, errors.New("this cluster gives nobody access")
	}
	if err := d.Agree(ctx, q); err != nil {
		return nil, err
	}
	owner, err := d.Owner(ctx)
	if err != nil {
		return nil, err
	}
	return Grant(ctx, owner, q)
}
