package methods

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"sync"

	"github.com/tabernetes/tabernetes/core/attach"
	"github.com/tabernetes/tabernetes/core/tunnel"
	"github.com/tabernetes/tabernetes/wasm/port"
)

// Dial makes a wire to the hub at a WebSocket's URL.
type Dial func(ctx context.Context, url string) (net.Conn, error)

type attachParams struct {
	URL      string `json:"url"`
	Secret   string `json:"secret"`
	Name     string `json:"name"`
	Instance string `json:"instance"`
}

// attachEvent is what the page is told: AttachEvent in web/rpc/protocol.ts.
type attachEvent struct {
	Type string `json:"type"` // "state", "ask" or "withdrawn"
	// Of a state.
	Up         bool     `json:"up,omitempty"`
	Name       string   `json:"name,omitempty"`
	ServerName string   `json:"serverName,omitempty"`
	Addresses  []string `json:"addresses,omitempty"`
	CertHash   string   `json:"certHash,omitempty"`
	Error      string   `json:"error,omitempty"`
	// Of a question, or of one that nobody waits for any more.
	ID   int    `json:"id,omitempty"`
	User string `json:"user,omitempty"`
	Code string `json:"code,omitempty"`
}

// attachOrder is what the page wants: AttachOrder in web/rpc/protocol.ts.
type attachOrder struct {
	Type  string `json:"type"` // "answer" or "nudge"
	ID    int    `json:"id"`
	Agree bool   `json:"agree"`
}

// Attach serves `attach`: it keeps the cluster on a hub as long as the call lasts. It tells
// attachEvents and takes attachOrders.
func Attach(dial Dial, cluster func(context.Context) (attach.Cluster, error)) port.Handler {
	return func(ctx context.Context, c *port.Call) (any, error) {
		var p attachParams
		if err := c.Params(&p); err != nil {
			return nil, fmt.Errorf("attach: %w", err)
		}
		who, err := cluster(ctx)
		if err != nil {
			return nil, err
		}
		d := &attachment{event: c.Event, waiting: map[int]chan bool{}}
		a := attach.New(who, attach.Options{
			Dial:    func(ctx context.Context) (net.Conn, error) { return dial(ctx, p.URL) },
			Hello:   tunnel.Hello{Name: p.Name, Instance: p.Instance, Secret: p.Secret},
			Agree:   d.ask,
			Visits:  onLoopback(p.URL),
			OnState: d.state,
		})
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		go func() { cancel(d.obey(ctx, c.Orders(), a.Nudge)) }()
		if err := a.Run(ctx); err != nil {
			return nil, &port.Error{Err: err, Hint: "Open the address that nodehost printed when it started."}
		}
		return struct{}{}, nil
	}
}

// onLoopback tells whether a hub is on this machine, by the address that the browser dials.
func onLoopback(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && ip.IsLoopback()
}

// attachment is one call of `attach`.
type attachment struct {
	event func(any) error

	mu      sync.Mutex
	last    int
	waiting map[int]chan bool // questions that the owner has not answered
}

// tell sends an event; a call that has ended takes none.
func (d *attachment) tell(e attachEvent) { _ = d.event(e) }

func (d *attachment) state(s tunnel.State) {
	e := attachEvent{Type: "state", Up: s.Up, Name: s.Welcome.Name, ServerName: s.Welcome.ServerName, Addresses: s.Welcome.Addresses, CertHash: s.Welcome.CertHash}
	if s.Err != nil {
		e.Error = s.Err.Error()
	}
	d.tell(e)
}

// maxWaiting is how many questions may wait for the owner at a time.
const maxWaiting = 4

// ask shows the question on the page and waits for the owner.
func (d *attachment) ask(ctx context.Context, user, code string) error {
	d.mu.Lock()
	if len(d.waiting) >= maxWaiting {
		d.mu.Unlock()
		return errors.New("the owner has several requests to answer already; ask again later")
	}
	d.last++
	id, answer := d.last, make(chan bool, 1)
	d.waiting[id] = answer
	d.mu.Unlock()
	defer func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.waiting, id)
	}()
	d.tell(attachEvent{Type: "ask", ID: id, User: user, Code: code})
	select {
	case agreed := <-answer:
		if !agreed {
			return errors.New("the cluster's owner does not agree")
		}
		return nil
	case <-ctx.Done():
		d.tell(attachEvent{Type: "withdrawn", ID: id})
		return errors.New("the cluster's owner did not answer in time")
	}
}

// obey takes the page's orders until ctx is done.
func (d *attachment) obey(ctx context.Context, orders <-chan json.RawMessage, nudge func()) error {
	for {
		var order json.RawMessage
		select {
		case order = <-orders:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		var o attachOrder
		if err := json.Unmarshal(order, &o); err != nil {
			return fmt.Errorf("attach: read an order: %w", err)
		}
		switch o.Type {
		case "nudge":
			nudge()
		case "answer":
			d.mu.Lock()
			if answer := d.waiting[o.ID]; answer != nil {
				delete(d.waiting, o.ID)
				answer <- o.Agree
			}
			d.mu.Unlock()
		}
	}
}
