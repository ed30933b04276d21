package port

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

// The calls of a page that has gone end, and the next page, whose calls have the same numbers, hears nothing of them.
func TestNextPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := 0
		proceed := make(chan struct{})
		var ended error
		p := open(t, func(ctx context.Context, c *Call) (any, error) {
			if begun++; begun == 1 {
				<-ctx.Done()
				ended = context.Cause(ctx)
				_, err := c.Output("stdout").Write([]byte("from before"))
				_ = c.Event("from before")
				<-proceed
				return "from before", err
			}
			_, err := c.Output("stdout").Write([]byte("now"))
			return "now", err
		})
		synctest.Wait()
		if n := p.s.Waiting(); n != 1 {
			t.Errorf("%d calls wait", n)
		}
		p.s.NextPage()
		if n := p.s.Waiting(); n != 0 {
			t.Errorf("%d calls wait after their page has gone", n)
		}
		p.s.Receive(In{Type: "call", ID: 1, Method: "m", Params: []byte(`{}`)})
		synctest.Wait()
		close(proceed)
		p.wantAnswer(Out{"type": "result", "id": 1, "value": "now"})
		if got := p.text("stdout"); got != "now" {
			t.Errorf("the page heard %q", got)
		}
		if !errors.Is(ended, errPageGone) {
			t.Errorf("the call ended with %v", ended)
		}
	})
}

func TestACallThatRestsIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := open(t, func(ctx context.Context, c *Call) (any, error) {
			c.Rest()
			<-ctx.Done()
			return nil, nil
		})
		synctest.Wait()
		if n := p.s.Waiting(); n != 0 {
			t.Errorf("%d calls wait", n)
		}
		p.s.Receive(In{Type: "cancel", ID: 1})
		p.s.Wait()
	})
}
