package redis

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	miniserver "github.com/alicebob/miniredis/v2/server"
)

const (
	databases     = 16
	maxQueued     = 1000   // commands of a transaction
	maxSubscribed = 10_000 // names that a connection subscribes to
)

// peer is what is known of a connection.
type peer struct {
	inside        bool // a command of it is being run
	authenticated bool
	db            int
	multi         bool
	aborted       bool       // the transaction has a command that does not exist
	queued        [][]string // writes of a transaction
	commands      int        // of it
	subscribed    int
}

// peers are the connections that have said something.
type peers struct {
	mu   sync.Mutex
	list map[*miniserver.Peer]*peer
}

func (p *peers) of(c *miniserver.Peer) *peer {
	p.mu.Lock()
	defer p.mu.Unlock()
	st := p.list[c]
	if st == nil {
		st = &peer{}
		p.list[c] = st
		c.OnDisconnect(func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			delete(p.list, c)
		})
	}
	return st
}

// hook decides over each command before miniredis sees it; true says that it has been answered.
func (s *server) hook(c *miniserver.Peer, name string, args ...string) bool {
	st := s.peers.of(c)
	if st.inside {
		return false // it is what execute has begun
	}
	k := commands[name]
	switch {
	case k == unknown:
		st.aborted = st.multi
		c.WriteError(s.unknown(name, args))
		return true
	case s.needsAuth(st, name):
		c.WriteError("NOAUTH Authentication required.")
		return true
	case k == speaks && s.own(c, name, args):
		return true
	case name == "SELECT":
		if len(args) != 1 {
			break // miniredis has the words for that
		}
		n, err := strconv.Atoi(args[0])
		if err != nil {
			c.WriteError("ERR value is not an integer or out of range")
			return true
		}
		if n < 0 || n >= databases {
			c.WriteError("ERR DB index is out of range")
			return true
		}
	case strings.HasSuffix(name, "SUBSCRIBE"):
		if st.subscribed += len(args); st.subscribed > maxSubscribed {
			c.WriteError("ERR this connection has subscribed to too much")
			return true
		}
	case k == writes && s.leader() != "":
		c.WriteError("READONLY You can't write against a read only replica.")
		return true
	}
	if !st.multi && s.inRedisWords(c, st, name, args) {
		return true
	}
	if st.multi && st.aborted && name == "EXEC" {
		s.quietly(c, st, "DISCARD")
		st.multi, st.aborted, st.queued = false, false, nil
		c.WriteError("EXECABORT Transaction discarded because of previous errors.")
		return true
	}
	if st.multi {
		if st.commands++; st.commands > maxQueued {
			c.WriteError(fmt.Sprintf("ERR a transaction has %d commands at most", maxQueued))
			return true
		}
	}
	s.execute(c, st, k, name, args)
	return true
}

// execute has miniredis do a command, and replicas hear of it. Writes and ends of transactions are done one after
// the other, so that replicas hear of them in their order.
func (s *server) execute(c *miniserver.Peer, st *peer, k kind, name string, args []string) {
	whole := append([]string{name}, args...)
	if k == writes || name == "EXEC" {
		s.order.Lock()
		defer s.order.Unlock()
	}
	if k == writes {
		if err := s.room(grows(args)); err != nil {
			c.WriteError("OOM command not allowed when used memory > 'maxmemory'.")
			return
		}
	}
	if !s.dispatch(c, st, whole) {
		return
	}
	if said := password(name, args); said != "" && said == s.password {
		st.authenticated = true
	}
	switch {
	case name == "SELECT":
		if len(args) == 1 {
			st.db, _ = strconv.Atoi(args[0]) // looked at before
		}
	case name == "MULTI":
		st.multi, st.aborted, st.commands, st.queued = true, false, 0, nil
	case name == "DISCARD":
		st.multi, st.aborted, st.queued = false, false, nil
	case name == "EXEC":
		for _, w := range st.queued {
			s.tell(st.db, w)
		}
		st.multi, st.queued = false, nil
	case k == writes && st.multi:
		st.queued = append(st.queued, whole)
	case k == writes:
		s.tell(st.db, whole)
	}
}

// dispatch runs a command; false says that miniredis could not, which must not end the tab.
func (s *server) dispatch(c *miniserver.Peer, st *peer, whole []string) (ok bool) {
	st.inside = true
	defer func() {
		st.inside = false
		if r := recover(); r != nil {
			s.log('#', "%s failed: %v", printable(whole[0]), r)
			c.WriteError("ERR internal error")
			ok = false
		}
	}()
	s.inner.Dispatch(c, whole)
	return true
}

// needsAuth tells whether a command is for those who have said the password.
func (s *server) needsAuth(st *peer, name string) bool {
	return s.password != "" && !st.authenticated && name != "AUTH" && name != "HELLO" && name != "QUIT"
}

// password is what a command says the password is.
func password(name string, args []string) string {
	switch {
	case name == "AUTH" && len(args) > 0:
		return args[len(args)-1]
	case name == "HELLO" && len(args) > 3 && strings.EqualFold(args[1], "AUTH"):
		return args[3]
	}
	return ""
}

// room makes the account of what is kept n bytes greater. When it has grown much it is counted anew, since
// what is deleted is not told.
func (s *server) room(n int64) error {
	held := s.kept.Held() + n
	if held > s.recount || s.maxMemory > 0 && held > s.maxMemory {
		held = s.count() + n
		s.recount = 2*held + 1<<20
	}
	if s.maxMemory > 0 && held > s.maxMemory {
		return errFull
	}
	return s.kept.Set(held)
}

// printable is a stranger's word as one line.
func printable(s string) string {
	q := strconv.Quote(s)
	return q[1 : len(q)-1]
}
