package redis

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	miniserver "github.com/alicebob/miniredis/v2/server"
)

// link runs commands that no client has sent: from a file, or from the server that this one follows. What
// they answer is not looked at.
type link struct {
	s  *server
	c  *miniserver.Peer
	st *peer
}

func (s *server) newLink() *link {
	c := miniserver.NewPeer(bufio.NewWriter(io.Discard))
	l := &link{s, c, s.peers.of(c)}
	if s.password != "" {
		s.dispatch(c, l.st, []string{"AUTH", s.password})
	}
	return l
}

func (l *link) close() {
	l.s.peers.mu.Lock()
	defer l.s.peers.mu.Unlock()
	delete(l.s.peers.list, l.c)
}

// do runs a command, and tells this server's own replicas.
func (l *link) do(args ...string) error {
	if k := commands[args[0]]; k != writes && args[0] != "SELECT" {
		return fmt.Errorf("%.40q is nothing that a replica is told", args[0])
	}
	l.s.order.Lock()
	defer l.s.order.Unlock()
	if args[0] == "SELECT" {
		if len(args) != 2 {
			return errDamaged
		}
		n, err := strconv.Atoi(args[1])
		if err != nil || n < 0 || n >= databases {
			return fmt.Errorf("there is no database %.40q", args[1])
		}
		l.st.db = n
	} else if err := l.s.room(grows(args)); err != nil {
		return err
	}
	if l.s.dispatch(l.c, l.st, args) && args[0] != "SELECT" {
		l.s.tell(l.st.db, args)
	}
	return nil
}
