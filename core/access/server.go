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

// Server is the cluster's side of a tunnel: what comes through it, and who is asked.
type Server struct {
	// ServeAPI hands a client's connection to the apiserver.
	ServeAPI func(ctx context.Context, conn net.Conn)
	// ServePod joins a real node's stream to the in-tab pod that it asks for, and closes it. Nil takes none.
	ServePod func(ctx context.Context, stream net.Conn)
	// ServeVisit joins a browser's stream to the Service that a target names, and closes it. Nil takes none.
	ServeVisit func(ctx context.Context, target string, stream net.Conn)
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

// Options are a tunnel session's for this server.
func (s *Server) Options() tunnel.Options {
	return tunnel.Options{Authorise: s.authorise, Handle: s.handle}
}

// authorise lets in what a cluster offers, and nothing else.
func (s *Server) authorise(h tunnel.Header) error {
	switch {
	case h.Kind == tunnel.KindAPI, h.Kind == tunnel.KindPod && s.ServePod != nil, h.Kind == tunnel.KindVisit && s.ServeVisit != nil:
		return nil
	case h.Kind == tunnel.KindCall && h.Target == tunnel.CallAccess:
		return nil
	case h.Kind == tunnel.KindCall:
		return fmt.Errorf("a cluster has no method %q", h.Target)
	}
	return fmt.Errorf("a cluster takes no streams of kind %d", h.Kind)
}

func (s *Server) handle(ctx context.Context, h tunnel.Header, stream net.Conn) {
	if h.Kind == tunnel.KindAPI {
		s.ServeAPI(ctx, stream)
		return
	}
	if h.Kind == tunnel.KindPod {
		s.ServePod(ctx, stream)
		return
	}
	if h.Kind == tunnel.KindVisit {
		s.ServeVisit(ctx, h.Target, stream)
		return
	}
	_ = tunnel.ServeCall(ctx, stream, s.answer)
}

func (s *Server) answer(ctx context.Context, raw json.RawMessage) (any, error) {
	var r Request
	if err := json.Unmarshal(raw, &r); err != nil {
		return nil, errors.New("the request for access cannot be read")
	}
	switch {
	case s.Agree == nil:
		return nil, errors.New("this cluster gives nobody access")
	case r.Question != nil && r.Reveal == nil:
		return s.offer(ctx, *r.Question)
	case r.Reveal != nil && r.Question == nil:
		return s.grant(ctx, *r.Reveal)
	}
	return nil, errors.New("the program that asks for access is older than this cluster; update nodehost there")
}

func (s *Server) offer(ctx context.Context, q Question) (Offer, error) {
	if err := q.Check(); err != nil {
		return Offer{}, err
	}
	owner, err := s.Owner(ctx)
	if err != nil {
		return Offer{}, err
	}
	return s.exchanges.begin(q, string(owner.CAData), s.ServerName())
}

func (s *Server) grant(ctx context.Context, r Reveal) (Answer, error) {
	q, code, err := s.exchanges.end(r)
	if err != nil {
		return Answer{}, err
	}
	if err := s.Agree(ctx, q.User, code); err != nil {
		return Answer{}, err
	}
	owner, err := s.Owner(ctx)
	if err != nil {
		return Answer{}, err
	}
	if s.Sign != nil {
		return s.Sign(ctx, owner, q)
	}
	return Grant(ctx, owner, q)
}
