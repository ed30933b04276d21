package defined

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
)

const (
	// maxAnswers is how many requests may be under way at once, those included that were given up and that the
	// module still computes.
	maxAnswers = 32
	// maxBody is how long a request's body may be, in bytes: the module gets it whole.
	maxBody = 1 << 20
)

// piece is a part of an answer, in order.
type piece struct {
	head *headMessage
	data []byte
}

// answer is what the Worker owes to one request.
type answer struct {
	pieces chan piece // has room for all that there is credit for
	spent  chan int   // one that holds what is under way
	ended  chan error // io.EOF, or what broke; has room for it
}

func newAnswer() *answer {
	a := &answer{pieces: make(chan piece, window/leastCost), spent: make(chan int, 1), ended: make(chan error, 1)}
	a.spent <- 0
	return a
}

// put adds a piece, if there is credit for it.
func (a *answer) put(p piece, cost int) bool {
	spent := <-a.spent + cost
	a.spent <- spent
	if spent > window {
		return false
	}
	a.pieces <- p
	return true
}

// taken gives credit back.
func (a *answer) taken(cost int) { a.spent <- <-a.spent - cost }

// end closes the answer; it is called once, after the last piece.
func (a *answer) end(err error) {
	a.ended <- err
	close(a.pieces)
}

// ServeHTTP hands a request to the Worker and its answer back.
func (c *run) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer c.p.Cgroup.Busy()()
	held := c.p.Memory()
	defer held.Free()
	body, err := held.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if tooLong := (*http.MaxBytesError)(nil); errors.As(err, &tooLong) {
		http.Error(w, fmt.Sprintf("a body has %d bytes at most here", maxBody), http.StatusRequestEntityTooLarge)
		return
	} else if err != nil {
		return // who has asked is gone, or the container is
	}
	id, a := c.ask(r, body)
	if a == nil {
		http.Error(w, fmt.Sprintf("%d requests are being answered already", maxAnswers), http.StatusServiceUnavailable)
		return
	}
	headed := false
	for {
		select {
		case p, more := <-a.pieces:
			if !more {
				if err := <-a.ended; !errors.Is(err, io.EOF) || !headed {
					giveUp(w, headed)
				}
				return
			}
			switch {
			case p.head != nil && !headed:
				p.head.write(w)
				headed = true
			case p.head != nil || !headed:
				c.fail(errors.New("an answer has one head, and it comes first"))
			default:
				if _, err := w.Write(p.data); err != nil {
					c.giveUp(id, a)
					return
				}
				_ = http.NewResponseController(w).Flush()
			}
			n := cost(len(p.data))
			a.taken(n)
			c.post(toCredit, id, credit(n))
		case <-r.Context().Done():
			c.giveUp(id, a)
			return
		case <-c.ctx.Done():
			giveUp(w, headed)
			return
		}
	}
}

// ask sends the Worker a request; the answer is nil if there is no room for one more.
func (c *run) ask(r *http.Request, body []byte) (uint32, *answer) {
	c.mu.Lock()
	if len(c.answers) >= maxAnswers {
		c.mu.Unlock()
		return 0, nil
	}
	c.requests++
	id, a := c.requests, newAnswer()
	c.answers[id] = a
	c.mu.Unlock()
	q := requestMessage{Method: r.Method, URL: "http://" + r.Host + r.URL.RequestURI(), Body: len(body) > 0}
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		for _, value := range r.Header[name] {
			q.Headers = append(q.Headers, [2]string{name, value})
		}
	}
	c.post(toRequest, id, asJSON(q))
	if q.Body {
		c.post(toBody, id, body)
	}
	return id, a
}

// giveUp tells the Worker that nobody waits any more. What it still says is taken, and gets no new credit.
func (c *run) giveUp(id uint32, a *answer) {
	c.post(toCancel, id, nil)
	go func() {
		for {
			select {
			case _, more := <-a.pieces:
				if !more {
					return
				}
			case <-c.ctx.Done():
				return
			}
		}
	}()
}

// giveUp answers where the module did not, or breaks the answer off.
func giveUp(w http.ResponseWriter, headed bool) {
	if headed {
		panic(http.ErrAbortHandler) // so that nobody takes it for the whole
	}
	http.Error(w, "the container's module gave no answer: its log says why", http.StatusBadGateway)
}
