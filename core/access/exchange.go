package access

import (
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Request is a message to the cluster: one of the two, in this order.
type Request struct {
	Question *Question `json:"question,omitempty"`
	Reveal   *Reveal   `json:"reveal,omitempty"`
}

// Offer answers a Question.
type Offer struct {
	// ID names the exchange in what follows.
	ID string `json:"id"`
	// CA is the certificate by which the cluster's apiserver is known, PEM.
	CA string `json:"ca"`
	// ServerName is the cluster's at its hub, for TLS.
	ServerName string `json:"serverName"`
	// Nonce is the cluster's.
	Nonce []byte `json:"nonce"`
}

// Reveal tells the nonce that the question committed to. The owner is asked then, and no sooner:
// before, there is no code.
type Reveal struct {
	ID    string `json:"id"`
	Nonce []byte `json:"nonce"`
}

// Answer is what the cluster gives if its owner agrees.
type Answer struct {
	// Certificate is signed for the question's key, PEM.
	Certificate string `json:"certificate"`
}

// Bounds on exchanges that have begun. A program answers at once; a hub that begins them without end,
// to find one whose code suits it, is slow at it.
const (
	maxExchanges  = 16
	revealTime    = 30 * time.Second
	beginsAtOnce  = 8
	beginInterval = time.Second
)

// exchanges are those that wait for their Reveal. The zero value is ready.
type exchanges struct {
	mu    sync.Mutex
	open  map[string]exchange
	begun *rate.Limiter
}

type exchange struct {
	question Question
	offer    Offer
	until    time.Time
}

// begin answers a question that was checked.
func (e *exchanges) begin(q Question, ca, serverName string) (Offer, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.begun == nil {
		e.open, e.begun = map[string]exchange{}, rate.NewLimiter(rate.Every(beginInterval), beginsAtOnce)
	}
	now := time.Now()
	for id, x := range e.open {
		if now.After(x.until) {
			delete(e.open, id)
		}
	}
	if len(e.open) >= maxExchanges || !e.begun.AllowN(now, 1) {
		return Offer{}, errors.New("many ask for access to this cluster at once; ask again in half a minute")
	}
	o := Offer{ID: rand.Text(), CA: ca, ServerName: serverName, Nonce: newNonce()}
	e.open[o.ID] = exchange{q, o, now.Add(revealTime)}
	return o, nil
}

// end takes an exchange away and gives its code, if the reveal is what the question committed to.
func (e *exchanges) end(r Reveal) (q Question, code string, err error) {
	e.mu.Lock()
	x, ok := e.open[r.ID]
	delete(e.open, r.ID)
	e.mu.Unlock()
	if !ok || time.Now().After(x.until) {
		return q, "", errors.New("this request for access is not known any more; ask again")
	}
	if len(r.Nonce) != nonceSize || subtle.ConstantTimeCompare(commit(r.Nonce), x.question.Commitment) != 1 {
		return q, "", errors.New("this request for access is not the one that was begun: somebody on the way has changed it")
	}
	return x.question, codeOf(x.question, x.offer, r.Nonce), nil
}
