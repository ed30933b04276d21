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
	// ServerName is the cluster's at its hub.
	ServerName func() string
	// Agree asks the owner, who compares the code with the asker's; an error says no, and its text goes
	// to the asker. Nil refuses all.
	Agree func(ctx context.Context, user, code string) error
	// Sign gives what the owner has agreed to. Default Grant.
	Sign func(ctx context.Context, owner *rest.Config, q Question) (Answer, error)

	exchanges exchanges
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
	_ = tunnel.ServeCall(ctx, stream, d.answer)
}

func (d *Door) answer(ctx context.Context, raw json.RawMessage) (any, error) {
	var r Request
	if err := json.Unmarshal(raw, &r); err != nil {
		return nil, errors.New("the request for access cannot be read")
	}
	switch {
	case d.Agree == nil:
		return nil, errors.New("this cluster gives nobody access")
	case r.Question != nil && r.Reveal == nil:
		return d.offer(ctx, *r.Question)
	case r.Reveal != nil && r.Question == nil:
		return d.grant(ctx, *r.Reveal)
	}
	return nil, errors.New("the program that asks for access is older than this cluster; update nodehost there")
}

func (d *Door) offer(ctx context.Context, q Question) (Offer, error) {
	if err := q.Check(); err != nil {
		return Offer{}, err
	}
	owner, err := d.Owner(ctx)
	if err != nil {
		return Offer{}, err
	}
	return d.exchanges.begin(q, string(owner.CAData), d.ServerName())
}

func (d *Door) grant(ctx context.Context, r Reveal) (Answer, error) {
	q, code, err := d.exchanges.end(r)
	if err != nil {
		return Answer{}, err
	}
	if err := d.Agree(ctx, q.User, code); err != nil {
		return Answer{}, err
	}
	owner, err := d.Owner(ctx)
	if err != nil {
		return Answer{}, err
	}
	if d.Sign != nil {
		return d.Sign(ctx, owner, q)
	}
	return Grant(ctx, owner, q)
}
