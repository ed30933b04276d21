package port

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
)

func TestHelloToAPageOfAnotherAge(t *testing.T) {
	p := &page{t: t}
	p.s = NewServer(t.Context(), p, nil)
	for page, says := range map[int]string{Version: "", 0: "not of the same age", Version + 1: "not of the same age"} {
		err := p.s.Hello(page)
		if says == "" && err != nil || says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("to a page of %d: %v", page, err)
		}
	}
	for _, o := range p.arrived() {
		if o["type"] != "hello" || o["version"] != Version {
			t.Errorf("sent %v", o)
		}
	}
}

func TestEventsAndOrders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := open(t, func(ctx context.Context, c *Call) (any, error) {
			if err := c.Event(map[string]any{"type": "state"}); err != nil {
				return nil, err
			}
			return string(<-c.Orders()), nil
		})
		p.s.Receive(In{Type: "order", ID: 1, Order: json.RawMessage(`{"type":"nudge"}`)})
		p.wantAnswer(Out{"type": "result", "id": 1, "value": `{"type":"nudge"}`})
		if first := p.arrived()[0]; first["type"] != "event" || first["event"].(map[string]any)["type"] != "state" {
			t.Errorf("the page is told %v", first)
		}
	})
}

func TestOrdersThatNobodyTakesEndTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := open(t, func(ctx context.Context, c *Call) (any, error) {
			<-ctx.Done()
			return nil, context.Cause(ctx)
		})
		for range maxOrders + 1 {
			p.s.Receive(In{Type: "order", ID: 1, Order: json.RawMessage(`1`)})
		}
		p.s.Wait()
		if got := p.answers(); len(got) != 1 || got[0]["type"] != "error" {
			t.Errorf("answers %v", got)
		}
	})
}
