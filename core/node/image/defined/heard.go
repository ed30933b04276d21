package defined

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// window is how many bytes of output, or of one answer, may be under way before the Worker gets new credit for
// them, and leastCost what the smallest message takes of it: so there is a bound to their number as well.
const (
	window    = 64 << 10
	leastCost = 1 << 10
)

// cost is what a message with n bytes takes of the credit.
func cost(n int) int { return max(n, leastCost) }

// ready begins to serve, if the module answers requests.
func (c *run) ready(m message, ports []int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.server != nil || m.id == 0 {
		return nil
	}
	c.server = &http.Server{
		Handler: c, ReadHeaderTimeout: time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: maxRequestHead,
	}
	for _, port := range ports {
		ln, err := c.p.Net.Listen(c.ctx, "tcp", fmt.Sprintf(":%d", port))
		if err != nil {
			return fmt.Errorf("listen on port %d: %w", port, err)
		}
		go func() { _ = c.server.Serve(ln) }() // until close
	}
	return nil
}

// take does what one message of the Worker's says. The error is a rule that it broke.
func (c *run) take(m message) error {
	switch m.kind {
	case fromStdout, fromStderr:
		return c.print(m)
	case fromPong:
		if m.id <= c.ponged || m.id > c.pinged {
			return fmt.Errorf("it answered question %d, and was asked %d to %d", m.id, c.ponged+1, c.pinged)
		}
		c.ponged = m.id
		return nil
	case fromHead, fromData, fromEnd, fromBroken:
		return c.answered(m)
	case fromFile, fromList:
		return c.read(m)
	default:
		return fmt.Errorf("there is no message of kind %q", m.kind)
	}
}

// print writes output, and gives credit for more when it is written: a flood waits for the log. What ignores that
// ends where the queue does.
func (c *run) print(m message) error {
	to := c.p.Stdout
	if m.kind == fromStderr {
		to = c.p.Stderr
	}
	_, _ = to.Write(m.data) // a log that is full stops nobody
	c.post(toCredit, 0, credit(cost(len(m.data))))
	return nil
}

// answered hands a message about an answer to the request that waits for it.
func (c *run) answered(m message) error {
	c.mu.Lock()
	a := c.answers[m.id]
	if a != nil && (m.kind == fromEnd || m.kind == fromBroken) {
		delete(c.answers, m.id)
	}
	c.mu.Unlock()
	if a == nil {
		return fmt.Errorf("it answered request %d, which nobody has asked", m.id)
	}
	switch m.kind {
	case fromHead:
		head, err := readHead(m.data)
		if err != nil {
			return fmt.Errorf("its answer to request %d: %w", m.id, err)
		}
		if !a.put(piece{head: head}, leastCost) {
			return fmt.Errorf("it answered request %d with more than it had credit for", m.id)
		}
	case fromData:
		if !a.put(piece{data: m.data}, cost(len(m.data))) {
			return fmt.Errorf("it answered request %d with more than it had credit for", m.id)
		}
	case fromEnd:
		a.end(io.EOF)
	default:
		a.end(fmt.Errorf("%.200q", m.data))
	}
	return nil
}

const (
	maxHeaders     = 100
	maxRequestHead = 64 << 10
)

// readHead reads an answer's head. What net/http would not write it leaves out itself.
func readHead(data []byte) (*headMessage, error) {
	var h headMessage
	if err := json.Unmarshal(data, &h); err != nil {
		return nil, fmt.Errorf("its head: %w", err)
	}
	if h.Status < 200 || h.Status > 599 {
		return nil, fmt.Errorf("a status of %d", h.Status)
	}
	if len(h.Headers) > maxHeaders {
		return nil, fmt.Errorf("%d headers", len(h.Headers))
	}
	return &h, nil
}

// ofConnection are headers that are the server's to say.
var ofConnection = map[string]bool{"Connection": true, "Content-Length": true, "Transfer-Encoding": true, "Upgrade": true, "Trailer": true, "Keep-Alive": true}

// write puts the head before w's body.
func (h *headMessage) write(w http.ResponseWriter) {
	for _, pair := range h.Headers {
		if name := http.CanonicalHeaderKey(pair[0]); !ofConnection[name] {
			w.Header().Add(name, pair[1])
		}
	}
	w.WriteHeader(h.Status)
}
